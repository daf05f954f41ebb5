/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_SIM_RUNTIME_THREAD_TIME_H
#define TIDINGS_SIM_RUNTIME_THREAD_TIME_H
/**
 * @file thread_time.h
 * Sleeps of threads other than the main one.
 */
#include <stdint.h>

/** The calling thread, which is not the main one, has slept. */
void rank_thread_slept(uint64_t picoseconds);

#endif
