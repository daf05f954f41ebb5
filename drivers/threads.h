/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
#ifndef TIDINGS_THREADS_H
#define TIDINGS_THREADS_H
/**
 * @file threads.h
 * What the platform does for a process with several threads in the library.
 *
 * The library lets one thread at a time touch the slots. If that one is to wait for an interrupt, the others may go on
 * first, and one of them may come while it waits. A platform whose processes have one thread each needs none of this.
 */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** From now on, several threads of the process use the library. */
void tidings_threads_begin(void);

/**
 * Block until all other threads of the process wait: for each other, for the caller, or for the world outside. Where
 * time is not real, it stands still meanwhile. Returns early if `*news` is no longer `seen`, or if a thread computes
 * for so long that the others should not wait for it.
 */
void tidings_threads_settle(const uint32_t* news, uint32_t seen);

/** `*news` has changed: end a tidings_threads_settle that looks at it. */
void tidings_threads_tell(const uint32_t* news);

/** End the wait for an interrupt that another thread of the process is in, although the line is low. */
void tidings_threads_wake(void);

/** A thread is about to wait for an interrupt: what tidings_threads_wake has done before shall not end that wait. */
void tidings_threads_depart(void);

/**
 * The calling thread leaves the library to others in the middle of a call, and comes back to it. What the trace knows
 * of the call, and whether work costs time in it (drivers/ideal.h), is the thread's own.
 * @return what tidings_threads_return is to be called with.
 */
void* tidings_threads_leave(void);
void tidings_threads_return(void* call);

#ifdef __cplusplus
}
#endif
#endif
