/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file clock.c
 * libc's clocks and sleeps, showing virtual time to programs that were not compiled for us.
 *
 * Loaded before libc (LD_PRELOAD). Each function asks whether the caller speaks for a rank, and
 * is libc's own where it does not. Every reading costs time, so that spinning on a clock ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "sim/runtime/rank/next.h"
#include "sim/runtime/rank/rank.h"
#include "sim/runtime/rank/thread_time.h"
#include "sim/runtime/rank/timer.h"

static const uint64_t ps_per_ns = 1000;
static const uint64_t ns_per_s = 1000000000;

/** The thread's time in nanoseconds, after paying for the look at the clock. */
static uint64_t read_clock(struct tidings_channel* channel) {
  if (rank_channel_of_main_thread() == NULL) {
    rank_thread_reaches(channel, rank_thread_ps(channel) + channel->costs.clock_read);
    return rank_thread_ps(channel) / ps_per_ns;
  }
  rank_charge_compute(channel);
  rank_advance(channel, channel->costs.clock_read);
  ++channel->clock_looks;
  rank_look_at_alarms(channel);
  return channel->local_ps / ps_per_ns;
}

/**
 * A sleep is time that passes; a sleep of nothing still costs a look at the clock.
 * @return nanoseconds that are left, if an alarm has ended it.
 */
static uint64_t sleep_ps(struct tidings_channel* channel, uint64_t duration) {
  rank_charge_compute(channel);
  const uint64_t left =
      rank_sleep(channel, duration > channel->costs.clock_read ? duration : channel->costs.clock_read);
  sched_yield(); /* the program may look for a process or thread that lives in real time: let it run */
  return (left + ps_per_ns - 1) / ps_per_ns;
}

/** What a sleeping function returns. @param left nanoseconds that sleep_ps has left over. */
static int interrupted(uint64_t left) {
  if (left == 0) return 0;
  errno = EINTR;
  return -1;
}

static bool valid_interval(const struct timespec* t) {
  return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < (long)ns_per_s;
}

static bool shows_date(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

/** The clocks that show the rank's time: all but those of other processes and threads and the alarm clocks. */
static bool is_virtual(clockid_t clock) {
  switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      return true;
    default:
      return shows_date(clock);
  }
}

RANK_EXPORT int clock_gettime(clockid_t clock, struct timespec* result) {
  struct tidings_channel* channel = rank_channel_of_thread();
  if (channel == NULL || !is_virtual(clock)) {
    static int (*next)(clockid_t, struct timespec*);
    if (next == NULL) rank_find_next(&next, "clock_gettime");
    return next(clock, result);
  }
  uint64_t now = read_clock(channel);
  result->tv_sec = (time_t)(now / ns_per_s + (shows_date(clock) ? RANK_EPOCH_S : 0));
  result->tv_nsec = (long)(now % ns_per_s);
  return 0;
}

RANK_EXPORT int timespec_get(struct timespec* result, int base) {
  struct tidings_channel* channel = rank_channel_of_thread();
  if (channel == NULL || base != TIME_UTC) {
    static int (*next)(struct timespec*, int);
    if (next == NULL) rank_find_next(&next, "timespec_get");
    return next(result, base);
  }
  return clock_gettime(CLOCK_REALTIME, result) == 0 ? base : 0;
}

RANK_EXPORT int gettimeofday(struct timeval* restrict result, void* restrict zone) {
  struct tidings_channel* channel = rank_channel_of_thread();
  if (channel == NULL) {
    static int (*next)(struct timeval*, void*);
    if (next == NULL) rank_find_next(&next, "gettimeofday");
    return next(result, zone);
  }
  uint64_t now = read_clock(channel);
  result->tv_sec = (time_t)(now / ns_per_s + RANK_EPOCH_S);
  result->tv_usec = (suseconds_t)(now % ns_per_s / 1000);
  if (zone != NULL) memset(zone, 0, sizeof(struct timezone));
  return 0;
}

RANK_EXPORT time_t time(time_t* result) {
  struct tidings_channel* channel = rank_channel_of_thread();
  if (channel == NULL) {
    static time_t (*next)(time_t*);
    if (next == NULL) rank_find_next(&next, "time");
    return next(result);
  }
  time_t now = (time_t)(read_clock(channel) / ns_per_s + RANK_EPOCH_S);
  if (result != NULL) *result = now;
  return now;
}

RANK_EXPORT clock_t clock(void) {
  struct tidings_channel* channel = rank_channel_of_thread();
  if (channel == NULL) {
    static clock_t (*next)(void);
    if (next == NULL) rank_find_next(&next, "clock");
    return next();
  }
  return (clock_t)(read_clock(channel) / (ns_per_s / (uint64_t)CLOCKS_PER_SEC));
}

/* A rank has a processor to itself, so all of its time is the processor's. */

RANK_EXPORT clock_t times(struct tms* result) {
  struct tidings_channel* channel = rank_channel_of_thread();
  if (channel == NULL) {
    static clock_t (*next)(struct tms*);
    if (next == NULL) rank_find_next(&next, "times");
    return next(result);
  }
  const uint64_t ticks_per_s = (uint64_t)sysconf(_SC_CLK_TCK);
  const clock_t now = (clock_t)(read_clock(channel) / (ns_per_s / ticks_per_s));
  if (result != NULL) *result = (struct tms){.tms_utime = now};
  return now;
}

RANK_EXPORT int getrusage(__rusage_who_t whose, struct rusage* result) {
  static int (*next)(__rusage_who_t, struct rusage*);
  if (next == NULL) rank_find_next(&next, "getrusage");
  const int status = next(whose, result);
  struct tidings_channel* channel = rank_channel_of_thread();
  if (channel == NULL || status != 0 || (whose != RUSAGE_SELF && whose != RUSAGE_THREAD)) return status;
  const uint64_t now = read_clock(channel);
  result->ru_utime =
      (struct timeval){.tv_sec = (time_t)(now / ns_per_s), .tv_usec = (suseconds_t)(now % ns_per_s / 1000)};
  result->ru_stime = (struct timeval){0};
  return status;
}

RANK_EXPORT unsigned int sleep(unsigned int seconds) {
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel == NULL) {
    static unsigned int (*next)(unsigned int);
    if (next == NULL) rank_find_next(&next, "sleep");
    const unsigned int left = next(seconds);
    rank_thread_slept(rank_interval_ps(seconds - left, 0));
    return left;
  }
  return (unsigned int)((sleep_ps(channel, rank_interval_ps(seconds, 0)) + ns_per_s / 2) / ns_per_s);
}

RANK_EXPORT int usleep(useconds_t microseconds) {
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel == NULL) {
    static int (*next)(useconds_t);
    if (next == NULL) rank_find_next(&next, "usleep");
    const int result = next(microseconds);
    if (result == 0) rank_thread_slept(rank_interval_ps(0, (uint64_t)microseconds * 1000));
    return result;
  }
  return interrupted(sleep_ps(channel, rank_interval_ps(0, (uint64_t)microseconds * 1000)));
}

/** What nanosleep says of the time that is left. */
static void tell_remaining(uint64_t left, struct timespec* remaining) {
  if (left != 0 && remaining != NULL)
    *remaining = (struct timespec){.tv_sec = (time_t)(left / ns_per_s), .tv_nsec = (long)(left % ns_per_s)};
}

RANK_EXPORT int nanosleep(const struct timespec* duration, struct timespec* remaining) {
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel == NULL) {
    static int (*next)(const struct timespec*, struct timespec*);
    if (next == NULL) rank_find_next(&next, "nanosleep");
    const int result = next(duration, remaining);
    if (result == 0) rank_thread_slept(rank_interval_ps((uint64_t)duration->tv_sec, (uint64_t)duration->tv_nsec));
    return result;
  }
  if (!valid_interval(duration)) {
    errno = EINVAL;
    return -1;
  }
  const uint64_t left = sleep_ps(channel, rank_interval_ps((uint64_t)duration->tv_sec, (uint64_t)duration->tv_nsec));
  tell_remaining(left, remaining);
  return interrupted(left);
}

/** Picoseconds until the thread's clock shows a time. */
static uint64_t time_until(const struct tidings_channel* channel, clockid_t clock, const struct timespec* shown) {
  const uint64_t seconds = (uint64_t)shown->tv_sec;
  const uint64_t base = shows_date(clock) ? RANK_EPOCH_S : 0;
  const uint64_t until = seconds < base ? 0 : rank_interval_ps(seconds - base, (uint64_t)shown->tv_nsec);
  const uint64_t now = rank_thread_ps(channel);
  return until > now ? until - now : 0;
}

RANK_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec* duration,
                                struct timespec* remaining) {
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel == NULL || !is_virtual(clock)) {
    static int (*next)(clockid_t, int, const struct timespec*, struct timespec*);
    if (next == NULL) rank_find_next(&next, "clock_nanosleep");
    const struct tidings_channel* own = is_virtual(clock) && valid_interval(duration) ? rank_channel_of_thread() : NULL;
    if (own == NULL) return next(clock, flags, duration, remaining);
    const bool absolute = (flags & TIMER_ABSTIME) != 0;
    const uint64_t left = absolute ? time_until(own, clock, duration)
                                   : rank_interval_ps((uint64_t)duration->tv_sec, (uint64_t)duration->tv_nsec);
    const struct timespec real = {.tv_sec = (time_t)(left / ps_per_ns / ns_per_s),
                                  .tv_nsec = (long)(left / ps_per_ns % ns_per_s)};
    const int result = next(CLOCK_MONOTONIC, 0, &real, absolute ? NULL : remaining);
    if (result == 0) rank_thread_slept(left);
    return result;
  }
  if (!valid_interval(duration)) return EINVAL;
  if ((flags & TIMER_ABSTIME) == 0) {
    const uint64_t left = sleep_ps(channel, rank_interval_ps((uint64_t)duration->tv_sec, (uint64_t)duration->tv_nsec));
    tell_remaining(left, remaining);
    return left == 0 ? 0 : EINTR;
  }
  return sleep_ps(channel, time_until(channel, clock, duration)) == 0 ? 0 : EINTR;
}

/* select and poll without descriptors are the old ways to sleep. */

RANK_EXPORT int select(int count, fd_set* restrict readable, fd_set* restrict writable, fd_set* restrict failed,
                       struct timeval* restrict timeout) {
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel == NULL || count != 0 || timeout == NULL || timeout->tv_sec < 0 || timeout->tv_usec < 0) {
    static int (*next)(int, fd_set*, fd_set*, fd_set*, struct timeval*);
    if (next == NULL) rank_find_next(&next, "select");
    const bool sleeps = count == 0 && timeout != NULL;
    const struct timeval asked = sleeps ? *timeout : (struct timeval){0};
    const int result = next(count, readable, writable, failed, timeout);
    if (sleeps && result == 0)
      rank_thread_slept(rank_interval_ps((uint64_t)asked.tv_sec, (uint64_t)asked.tv_usec * 1000));
    return result;
  }
  const uint64_t left =
      sleep_ps(channel, rank_interval_ps((uint64_t)timeout->tv_sec, (uint64_t)timeout->tv_usec * 1000));
  *timeout = (struct timeval){.tv_sec = (time_t)(left / ns_per_s), .tv_usec = (suseconds_t)(left % ns_per_s / 1000)};
  return interrupted(left);
}

RANK_EXPORT int poll(struct pollfd* descriptors, nfds_t count, int timeout) {
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel == NULL || count != 0 || timeout < 0) {
    static int (*next)(struct pollfd*, nfds_t, int);
    if (next == NULL) rank_find_next(&next, "poll");
    const int result = next(descriptors, count, timeout);
    if (count == 0 && timeout > 0 && result == 0) rank_thread_slept(rank_interval_ps(0, (uint64_t)timeout * 1000000));
    return result;
  }
  return interrupted(sleep_ps(channel, rank_interval_ps(0, (uint64_t)timeout * 1000000)));
}
