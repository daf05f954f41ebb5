/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file timer.c
 * libc's alarms, in virtual time: alarm, ualarm, setitimer, and what waits for their signals.
 *
 * Virtual time passes in calls: of the library, of clocks and of sleeps. An alarm that is due comes at the end of such
 * a call, or in a sleep. All three timers of setitimer show the same time, as the clocks do.
 *
 * A program may also compute until its alarm comes, without a call. So a clock of CPU time runs beside, with a signal
 * of its own: if the program has used as much CPU time as the alarm has left, and has made no call meanwhile, then that
 * much virtual time passes.
 */
#define _GNU_SOURCE
#include "sim/runtime/rank/timer.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "sim/runtime/rank/next.h"

static const uint64_t ps_per_us = 1000000;
static const uint64_t us_per_s = 1000000;
static const uint64_t ps_per_s = 1000000000000;

struct alarm_timer {
  uint64_t due_ps;      /**< UINT64_MAX if it is not set */
  uint64_t interval_ps; /**< 0 if it comes once */
};
enum { TIMERS = 3 };
static struct alarm_timer timers[TIMERS] = {{UINT64_MAX, 0}, {UINT64_MAX, 0}, {UINT64_MAX, 0}};
static const int signals[TIMERS] = {[ITIMER_REAL] = SIGALRM, [ITIMER_VIRTUAL] = SIGVTALRM, [ITIMER_PROF] = SIGPROF};

uint64_t rank_alarm_ps = UINT64_MAX;

static void find_next_alarm(void) {
  rank_alarm_ps = UINT64_MAX;
  for (int i = 0; i < TIMERS; ++i)
    if (timers[i].due_ps < rank_alarm_ps) rank_alarm_ps = timers[i].due_ps;
}

/** A signal ends sleeps unless it is ignored or blocked. */
static bool is_handled(int signal) {
  struct sigaction action;
  sigset_t blocked;
  return sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN &&
         pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && sigismember(&blocked, signal) == 0;
}

bool rank_send_alarms(struct tidings_channel* channel) {
  bool handled = false;
  for (int i = 0; i < TIMERS; ++i) {
    struct alarm_timer* timer = &timers[i];
    if (timer->due_ps > channel->local_ps) continue;
    if (timer->interval_ps == 0) {
      timer->due_ps = UINT64_MAX;
    } else {
      /* As the kernel does: alarms that come too late are one. */
      timer->due_ps += timer->interval_ps * ((channel->local_ps - timer->due_ps) / timer->interval_ps + 1);
    }
    find_next_alarm(); /* the handler may set it anew */
    handled = is_handled(signals[i]) || handled;
    raise(signals[i]);
  }
  return handled;
}

uint64_t rank_sleep(struct tidings_channel* channel, uint64_t picoseconds) {
  while (channel->local_ps + picoseconds >= rank_alarm_ps) {
    const uint64_t until = rank_alarm_ps > channel->local_ps ? rank_alarm_ps - channel->local_ps : 0;
    rank_advance(channel, until);
    picoseconds -= until;
    if (rank_send_alarms(channel)) return picoseconds;
  }
  rank_advance(channel, picoseconds);
  return 0;
}

/* ---------------------------------------------------------------- computing until an alarm comes */

static timer_t cpu_clock;
static bool has_cpu_clock;
static uint64_t seen_ps; /**< local time when the clock was last started */

static int cpu_signal(void) { return SIGRTMAX - 1; }

/** The clock runs for as much CPU time as the next alarm has left. */
static void start_cpu_clock(const struct tidings_channel* channel) {
  struct itimerspec when = {{0, 0}, {0, 0}};
  seen_ps = channel->local_ps;
  if (rank_alarm_ps != UINT64_MAX) {
    const uint64_t left = rank_alarm_ps > seen_ps ? rank_alarm_ps - seen_ps : 0;
    when.it_value.tv_sec = (time_t)(left / ps_per_s);
    when.it_value.tv_nsec = (long)(left % ps_per_s / 1000) + 1;
  }
  timer_settime(cpu_clock, 0, &when, NULL);
}

static void cpu_time_is_used(int signal) {
  (void)signal;
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel == NULL) return;
  const int error = errno;
  if (channel->local_ps == seen_ps && channel->operation.depth == 0 && rank_alarm_ps != UINT64_MAX) {
    if (rank_alarm_ps > channel->local_ps) rank_advance(channel, rank_alarm_ps - channel->local_ps);
    rank_send_alarms(channel);
  }
  start_cpu_clock(channel);
  errno = error;
}

static void look_at_cpu_time(const struct tidings_channel* channel) {
  if (!has_cpu_clock) {
    struct sigaction action = {.sa_handler = cpu_time_is_used, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = cpu_signal()};
    event._sigev_un._tid = gettid();
    if (sigaction(cpu_signal(), &action, NULL) != 0) return;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &cpu_clock) != 0) return;
    has_cpu_clock = true;
  }
  start_cpu_clock(channel);
}

/* ---------------------------------------------------------------- libc's functions */

static struct timeval time_of(uint64_t picoseconds) {
  const uint64_t us = (picoseconds + ps_per_us - 1) / ps_per_us;
  return (struct timeval){.tv_sec = (time_t)(us / us_per_s), .tv_usec = (suseconds_t)(us % us_per_s)};
}

static bool valid_time(const struct timeval* time) {
  return time->tv_sec >= 0 && time->tv_usec >= 0 && time->tv_usec < (suseconds_t)us_per_s;
}

static uint64_t picoseconds_of(const struct timeval* time) {
  return rank_interval_ps((uint64_t)time->tv_sec, (uint64_t)time->tv_usec * 1000);
}

static struct itimerval state_of(const struct tidings_channel* channel, int which) {
  struct itimerval state = {{0, 0}, {0, 0}};
  const struct alarm_timer* timer = &timers[which];
  state.it_interval = time_of(timer->interval_ps);
  if (timer->due_ps != UINT64_MAX)
    state.it_value = time_of(timer->due_ps > channel->local_ps ? timer->due_ps - channel->local_ps : 1);
  return state;
}

RANK_EXPORT int getitimer(__itimer_which_t which, struct itimerval* value) {
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel == NULL || (int)which < 0 || (int)which >= TIMERS) {
    static int (*next)(__itimer_which_t, struct itimerval*);
    if (next == NULL) rank_find_next(&next, "getitimer");
    return next(which, value);
  }
  *value = state_of(channel, (int)which);
  return 0;
}

RANK_EXPORT int setitimer(__itimer_which_t which, const struct itimerval* restrict value,
                          struct itimerval* restrict before) {
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel == NULL || (int)which < 0 || (int)which >= TIMERS || value == NULL || !valid_time(&value->it_value) ||
      !valid_time(&value->it_interval)) {
    static int (*next)(__itimer_which_t, const struct itimerval*, struct itimerval*);
    if (next == NULL) rank_find_next(&next, "setitimer");
    return next(which, value, before);
  }
  rank_charge_compute(channel);
  if (before != NULL) *before = state_of(channel, (int)which);
  const uint64_t first = picoseconds_of(&value->it_value);
  timers[which] = (struct alarm_timer){UINT64_MAX, 0};
  if (first != 0) timers[which] = (struct alarm_timer){channel->local_ps + first, picoseconds_of(&value->it_interval)};
  find_next_alarm();
  look_at_cpu_time(channel);
  return 0;
}

RANK_EXPORT unsigned int alarm(unsigned int seconds) {
  if (rank_channel_of_main_thread() == NULL) {
    static unsigned int (*next)(unsigned int);
    if (next == NULL) rank_find_next(&next, "alarm");
    return next(seconds);
  }
  const struct itimerval value = {.it_value = {.tv_sec = (time_t)seconds}};
  struct itimerval before;
  setitimer(ITIMER_REAL, &value, &before);
  return (unsigned int)before.it_value.tv_sec + (before.it_value.tv_usec != 0 ? 1U : 0U);
}

RANK_EXPORT useconds_t ualarm(useconds_t first, useconds_t interval) {
  if (rank_channel_of_main_thread() == NULL) {
    static useconds_t (*next)(useconds_t, useconds_t);
    if (next == NULL) rank_find_next(&next, "ualarm");
    return next(first, interval);
  }
  const struct itimerval value = {.it_interval = time_of(interval * ps_per_us), .it_value = time_of(first * ps_per_us)};
  struct itimerval before;
  setitimer(ITIMER_REAL, &value, &before);
  return (useconds_t)((uint64_t)before.it_value.tv_sec * us_per_s + (uint64_t)before.it_value.tv_usec);
}

/** Let time pass up to an alarm that the program handles, if one is set. @return whether one came. */
static bool wait_for_alarm(struct tidings_channel* channel) {
  rank_charge_compute(channel);
  while (rank_alarm_ps != UINT64_MAX) {
    const uint64_t left = rank_alarm_ps > channel->local_ps ? rank_alarm_ps - channel->local_ps : 0;
    rank_advance(channel, left);
    if (rank_send_alarms(channel)) return true;
  }
  return false;
}

RANK_EXPORT int pause(void) {
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel != NULL && wait_for_alarm(channel)) {
    errno = EINTR;
    return -1;
  }
  static int (*next)(void);
  if (next == NULL) rank_find_next(&next, "pause");
  return next();
}

/** A signal waits that the mask lets through. */
static bool has_pending(const sigset_t* mask) {
  sigset_t pending;
  if (sigpending(&pending) != 0) return false;
  for (int signal = 1; signal < NSIG; ++signal)
    if (sigismember(&pending, signal) == 1 && sigismember(mask, signal) == 0) return true;
  return false;
}

RANK_EXPORT int sigsuspend(const sigset_t* mask) {
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel != NULL && rank_alarm_ps != UINT64_MAX && !has_pending(mask)) {
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, mask, &before);
    const bool came = wait_for_alarm(channel);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (came) {
      errno = EINTR;
      return -1;
    }
  }
  static int (*next)(const sigset_t*);
  if (next == NULL) rank_find_next(&next, "sigsuspend");
  return next(mask);
}
