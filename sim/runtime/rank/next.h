/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_SIM_RUNTIME_NEXT_H
#define TIDINGS_SIM_RUNTIME_NEXT_H
/**
 * @file next.h
 * What functions that stand in front of libc's have in common. Define _GNU_SOURCE before including it.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#define RANK_EXPORT __attribute__((visibility("default")))

/** The date on which every run begins, 2000-01-01: programs that seed from the clock stay reproducible. */
#define RANK_EPOCH_S UINT64_C(946684800)

/** The next definition of a function after ours: libc's. Stored through memory: ISO C has no such conversion. */
static inline void rank_find_next(void* function, const char* name) {
  void* symbol = dlsym(RTLD_NEXT, name);
  memcpy(function, &symbol, sizeof symbol);
}

/** Picoseconds of an interval; what does not fit is the longest there is. */
static inline uint64_t rank_interval_ps(uint64_t seconds, uint64_t nanoseconds) {
  return seconds >= INT64_MAX / INT64_C(1000000000000) - 1 ? (uint64_t)INT64_MAX
                                                           : seconds * UINT64_C(1000000000000) + nanoseconds * 1000;
}

#endif
