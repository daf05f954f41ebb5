/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file timed_wait.c
 * libc's waits with a deadline, for threads whose clocks are virtual.
 *
 * The thread waited for lives in real time. So the wait lasts as long in real time as it would in virtual time, and
 * virtual time has passed only if nobody came.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim/runtime/rank/next.h"
#include "sim/runtime/rank/rank.h"
#include "sim/runtime/rank/thread_time.h"

/** A deadline on the rank's clock and the same distance from now on the real one. */
struct deadline {
  uint64_t virtual_ps;
  struct timespec real;
};

/** Which clock is meant shows in the value: dates are large. */
static clockid_t clock_of(const struct timespec* until) {
  return (uint64_t)until->tv_sec >= RANK_EPOCH_S ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

/** @return false if the wait is none of ours: no rank, or not a time. */
static bool translate(struct tidings_channel* channel, const struct timespec* until, struct deadline* result) {
  if (channel == NULL || until == NULL || until->tv_sec < 0 || until->tv_nsec < 0 || until->tv_nsec >= 1000000000)
    return false;
  const clockid_t clock = clock_of(until);
  const uint64_t base = clock == CLOCK_REALTIME ? RANK_EPOCH_S : 0;
  result->virtual_ps = rank_interval_ps((uint64_t)until->tv_sec - base, (uint64_t)until->tv_nsec);
  const uint64_t now = rank_thread_ps(channel);
  const uint64_t left_ns = result->virtual_ps > now ? (result->virtual_ps - now) / 1000 : 0;
  syscall(SYS_clock_gettime, clock, &result->real);
  const uint64_t nanoseconds = (uint64_t)result->real.tv_nsec + left_ns;
  result->real.tv_sec += (time_t)(nanoseconds / 1000000000);
  result->real.tv_nsec = (long)(nanoseconds % 1000000000);
  return true;
}

/** The wait has ended: if nobody came, the time is the deadline's. */
static void pass(struct tidings_channel* channel, const struct deadline* deadline, bool timed_out) {
  if (timed_out) rank_thread_reaches(channel, deadline->virtual_ps);
}

/* C++ waits for futures and semaphores by system calls, without a function of libc for each. */

RANK_EXPORT long syscall(long number, ...) {
  enum { MOST_ARGUMENTS = 6, OPERATION = 1, TIMEOUT = 3 };
  static long (*next)(long, ...);
  if (next == NULL) rank_find_next(&next, "syscall");
  long a[MOST_ARGUMENTS];
  va_list arguments;
  va_start(arguments, number);
  for (int i = 0; i < MOST_ARGUMENTS; ++i) a[i] = va_arg(arguments, long);
  va_end(arguments);
  struct deadline deadline;
  struct tidings_channel* channel = NULL;
  const long operation = a[OPERATION] & ~(long)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  if (number == SYS_futex && operation == FUTEX_WAIT_BITSET) channel = rank_channel_of_thread();
  /* NOLINTNEXTLINE(performance-no-int-to-ptr): an address as system calls have it */
  if (channel == NULL || !translate(channel, (const struct timespec*)a[TIMEOUT], &deadline))
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const long result = next(number, a[0], a[1], a[2], &deadline.real, a[4], a[5]);
  pass(channel, &deadline, result != 0 && errno == ETIMEDOUT);
  return result;
}

RANK_EXPORT int sem_timedwait(sem_t* restrict semaphore, const struct timespec* restrict until) {
  static int (*next)(sem_t*, const struct timespec*);
  if (next == NULL) rank_find_next(&next, "sem_timedwait");
  struct tidings_channel* channel = rank_channel_of_thread();
  struct deadline deadline;
  if (!translate(channel, until, &deadline)) return next(semaphore, until);
  const int result = next(semaphore, &deadline.real);
  pass(channel, &deadline, result != 0 && errno == ETIMEDOUT);
  return result;
}

RANK_EXPORT int sem_clockwait(sem_t* restrict semaphore, clockid_t clock, const struct timespec* restrict until) {
  static int (*next)(sem_t*, clockid_t, const struct timespec*);
  if (next == NULL) rank_find_next(&next, "sem_clockwait");
  struct tidings_channel* channel = rank_channel_of_thread();
  struct deadline deadline;
  if (!translate(channel, until, &deadline)) return next(semaphore, clock, until);
  const int result = next(semaphore, clock_of(until), &deadline.real);
  pass(channel, &deadline, result != 0 && errno == ETIMEDOUT);
  return result;
}

RANK_EXPORT int pthread_cond_timedwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex,
                                       const struct timespec* restrict until) {
  static int (*next)(pthread_cond_t*, pthread_mutex_t*, const struct timespec*);
  if (next == NULL) rank_find_next(&next, "pthread_cond_timedwait");
  struct tidings_channel* channel = rank_channel_of_thread();
  struct deadline deadline;
  if (!translate(channel, until, &deadline)) return next(condition, mutex, until);
  const int result = next(condition, mutex, &deadline.real);
  pass(channel, &deadline, result == ETIMEDOUT);
  return result;
}

RANK_EXPORT int pthread_cond_clockwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex,
                                       clockid_t clock, const struct timespec* restrict until) {
  static int (*next)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
  if (next == NULL) rank_find_next(&next, "pthread_cond_clockwait");
  struct tidings_channel* channel = rank_channel_of_thread();
  struct deadline deadline;
  if (!translate(channel, until, &deadline)) return next(condition, mutex, clock, until);
  const int result = next(condition, mutex, clock_of(until), &deadline.real);
  pass(channel, &deadline, result == ETIMEDOUT);
  return result;
}

/** A lock's two waits with a deadline. */
#define TIMED_LOCK(type, object, how)                                                                         \
  RANK_EXPORT int pthread_##object##_timed##how(type* restrict lock, const struct timespec* restrict until) { \
    static int (*next)(type*, const struct timespec*);                                                        \
    if (next == NULL) rank_find_next(&next, "pthread_" #object "_timed" #how);                                \
    struct tidings_channel* channel = rank_channel_of_thread();                                               \
    struct deadline deadline;                                                                                 \
    if (!translate(channel, until, &deadline)) return next(lock, until);                                      \
    const int result = next(lock, &deadline.real);                                                            \
    pass(channel, &deadline, result == ETIMEDOUT);                                                            \
    return result;                                                                                            \
  }                                                                                                           \
  RANK_EXPORT int pthread_##object##_clock##how(type* restrict lock, clockid_t clock,                         \
                                                const struct timespec* restrict until) {                      \
    static int (*next)(type*, clockid_t, const struct timespec*);                                             \
    if (next == NULL) rank_find_next(&next, "pthread_" #object "_clock" #how);                                \
    struct tidings_channel* channel = rank_channel_of_thread();                                               \
    struct deadline deadline;                                                                                 \
    if (!translate(channel, until, &deadline)) return next(lock, clock, until);                               \
    const int result = next(lock, clock_of(until), &deadline.real);                                           \
    pass(channel, &deadline, result == ETIMEDOUT);                                                            \
    return result;                                                                                            \
  }
TIMED_LOCK(pthread_mutex_t, mutex, lock)
TIMED_LOCK(pthread_rwlock_t, rwlock, rdlock)
TIMED_LOCK(pthread_rwlock_t, rwlock, wrlock)
