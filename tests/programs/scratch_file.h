// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

/**
 * @file scratch_file.h
 * The name of a file that no other run uses.
 */
#ifndef TIDINGS_TESTS_SCRATCH_FILE_H
#define TIDINGS_TESTS_SCRATCH_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

enum { SCRATCH_NAME = 256 };

/** All ranks call this; all get the same name, under which there is no file. */
static inline void scratch_name(char* name) {
  memset(name, 0, SCRATCH_NAME);
  if (my_rank() == 0) {
    const char* folder = getenv("TMPDIR");
    snprintf(name, SCRATCH_NAME, "%s/tidings-file-XXXXXX", folder == NULL ? "/tmp" : folder);
    const int file = mkstemp(name);
    if (file >= 0) close(file);
    unlink(name);
  }
  MPI_Bcast(name, SCRATCH_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
}

#endif
