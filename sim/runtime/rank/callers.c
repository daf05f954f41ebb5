/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file callers.c
 * Where the program has called the library.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sim/runtime/rank/rank.h"

/** Bytes of a path up to the name of its file. */
static size_t folder_length(const char* path) {
  const char* const slash = strrchr(path, '/');
  return slash == NULL ? 0 : (size_t)(slash - path);
}

void rank_find_callers(struct rank_callers* callers) {
  callers->count = backtrace(callers->returns, RANK_MOST_CALLERS);
}

void rank_note_place(void* const* returns, int count, char place[TIDINGS_TEXT_BYTES]) {
  Dl_info own, module;
  place[0] = '\0';
  static const char here; /* an object of this library */
  if (dladdr(&here, &own) == 0) return;
  const size_t own_length = folder_length(own.dli_fname);
  for (int i = 0; i < count; ++i) {
    const uintptr_t call = (uintptr_t)returns[i] - 1; /* in front of the address that it returns to */
    if (dladdr((const void*)call, &module) == 0) return;
    const size_t length = folder_length(module.dli_fname);
    if (length == own_length && strncmp(module.dli_fname, own.dli_fname, length) == 0) continue;
    snprintf(place, TIDINGS_TEXT_BYTES, "%s\t%" PRIuPTR, module.dli_fname, call - (uintptr_t)module.dli_fbase);
    return;
  }
}
