/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_SIM_RUNTIME_THREAD_TIME_H
#define TIDINGS_SIM_RUNTIME_THREAD_TIME_H
/**
 * @file thread_time.h
 * Clocks of threads: that of the main one is the rank's, and the others have their own.
 */
#include <stdbool.h>
#include <stdint.h>

#include "sim/runtime/channel.h"

/** The channel, if the calling thread has a clock in virtual time; else NULL. */
struct tidings_channel* rank_channel_of_thread(void);

/** The clock of the calling thread, which has one. */
uint64_t rank_thread_ps(const struct tidings_channel* channel);

/** Set it forward, if it is not there yet. That does not pass for others. */
void rank_thread_reaches(struct tidings_channel* channel, uint64_t picoseconds);

/** The calling thread, which is not the main one, has slept. */
void rank_thread_slept(uint64_t picoseconds);

#endif
