/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_COST_H
#define TIDINGS_COST_H
/**
 * @file cost.h
 * Software work that takes a processor time. A real processor spends that time by itself: its platform links
 * cost_none.c, which does nothing.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tidings_work {
  TIDINGS_WORK_CALL,   /**< entry to a library call; amount = calls */
  TIDINGS_WORK_MATCH,  /**< looking at one queue entry while matching; amount = entries */
  TIDINGS_WORK_REDUCE, /**< combining elements in software; amount = elements */
  TIDINGS_WORK_POLL,   /**< one unsuccessful test, so that polling advances time; amount = polls */
  TIDINGS_WORK_COPY, /**< copying one piece between program memory and node memory, or within either; amount = bytes */
};

/** The work has been done, or is about to be. */
void tidings_work(enum tidings_work kind, uint64_t amount);

/** Copy one piece, and account for it. The pieces may overlap. */
static inline void tidings_copy(void* destination, const void* source, size_t bytes) {
  tidings_work(TIDINGS_WORK_COPY, bytes);
  if (bytes != 0) memmove(destination, source, bytes);
}

#ifdef __cplusplus
}
#endif
#endif
