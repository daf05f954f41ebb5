// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

/**
 * @file program.h
 * What the test programs share: output in rank order, a checksum, a random sequence.
 *
 * A program prints the same text whatever MPI library it runs on, so `say` keeps a rank's text until
 * `say_all` lets rank 0 print all of it, rank after rank.
 */
#ifndef TIDINGS_TESTS_PROGRAM_H
#define TIDINGS_TESTS_PROGRAM_H

#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAY_BYTES = 32768, SAY_TAG = 31999 };

static char say_text[SAY_BYTES];
static size_t say_length;

/** Rank and size of MPI_COMM_WORLD. */
static inline int my_rank(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
static inline int all_ranks(void) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

/** Add to this rank's text; as printf. */
__attribute__((format(printf, 1, 2))) static inline void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int added = vsnprintf(say_text + say_length, SAY_BYTES - say_length, format, arguments);
  va_end(arguments);
  if (added < 0 || (size_t)added >= SAY_BYTES - say_length) {
    fprintf(stderr, "say: more than %d bytes of output on a rank\n", (int)SAY_BYTES);
    abort();
  }
  say_length += (size_t)added;
}

/** All ranks call this once, at the end. */
static inline void say_all(void) {
  if (my_rank() != 0) {
    MPI_Send(say_text, (int)say_length, MPI_CHAR, 0, SAY_TAG, MPI_COMM_WORLD);
    return;
  }
  fwrite(say_text, 1, say_length, stdout);
  for (int r = 1; r < all_ranks(); ++r) {
    MPI_Status status;
    int length;
    MPI_Recv(say_text, SAY_BYTES, MPI_CHAR, r, SAY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &length);
    fwrite(say_text, 1, (size_t)length, stdout);
  }
  fflush(stdout);
}

/** The program runs on the library that Tidings is compared with. */
static inline bool on_mpich(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  return strncmp(version, "MPICH", strlen("MPICH")) == 0;
}

/**
 * What the standard says and MPICH does otherwise: Tidings must do it, and nothing is printed. `docs/mpi.md` lists
 * these places.
 */
static inline void must(const char* what, bool right) {
  if (right || on_mpich()) return;
  fprintf(stderr, "not so: %s\n", what);
  abort();
}

/** FNV-1a, 32 bits. */
static inline uint32_t checksum(const void* data, size_t bytes) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ ((const unsigned char*)data)[i]) * 16777619u;
  return hash;
}

/** A small linear congruential sequence, the same everywhere; `state` is the seed. */
static inline uint32_t next_random(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

/** Fill with bytes that depend on `seed` and the place. */
static inline void fill(void* data, size_t bytes, uint64_t seed) {
  for (size_t i = 0; i < bytes; ++i) ((unsigned char*)data)[i] = (unsigned char)(next_random(&seed) >> 7);
}

static inline void* allocate(size_t bytes) {
  void* memory = calloc(bytes == 0 ? 1 : bytes, 1);
  if (memory == NULL) abort();
  return memory;
}

#endif
