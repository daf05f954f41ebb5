/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file timer.c
 * libc's alarms, in virtual time: alarm, ualarm, setitimer, timer_create, and what waits for their signals.
 *
 * Virtual time passes in calls: of the library, of clocks and of sleeps. An alarm that is due comes at the end of such
 * a call, or in a sleep. All three timers of setitimer show the same time, as the clocks do. Timers of timer_create
 * that start threads, or send signals to other threads, are libc's own and in real time.
 *
 * A program may also compute until its alarm comes, without a call. So a clock of CPU time runs beside, with a signal
 * of its own: if the program has used as much CPU time as the alarm has left, and has made no call meanwhile, then that
 * much virtual time passes.
 */
#define _GNU_SOURCE
#include "sim/runtime/rank/timer.h"

#include <errno.h>
#include <pthread.h>
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
  uint64_t due_ps;      /**< 0 if it is not set */
  uint64_t interval_ps; /**< 0 if it comes once */
  /* Of those of timer_create. */
  bool exists;
  bool dates; /**< its clock shows the date */
  int signal; /**< 0 for none */
  union sigval value;
  int overruns; /**< times that it came without a signal of its own, before the last signal */
};
enum { ITIMERS = 3, TIMERS = ITIMERS + 32 };
/** Those of setitimer, and then those of timer_create, whose names are their addresses. */
static struct alarm_timer timers[TIMERS];
static const int signals[ITIMERS] = {[ITIMER_REAL] = SIGALRM, [ITIMER_VIRTUAL] = SIGVTALRM, [ITIMER_PROF] = SIGPROF};

uint64_t rank_alarm_ps = UINT64_MAX;

static void find_next_alarm(void) {
  rank_alarm_ps = UINT64_MAX;
  for (int i = 0; i < TIMERS; ++i)
    if (timers[i].due_ps != 0 && timers[i].due_ps < rank_alarm_ps) rank_alarm_ps = timers[i].due_ps;
}

/** A signal ends sleeps unless it is ignored or blocked. */
static bool is_handled(int signal) {
  struct sigaction action;
  sigset_t blocked;
  return sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN &&
         pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0 && sigismember(&blocked, signal) == 0;
}

/** Send the signal of a timer of timer_create, unless one is on its way. @param missed times that it came before. */
static void notify(struct alarm_timer* timer, uint64_t missed) {
  sigset_t pending;
  const bool waits = sigpending(&pending) == 0 && sigismember(&pending, timer->signal) == 1;
  const uint64_t overruns = missed + (waits ? (uint64_t)timer->overruns + 1 : 0);
  timer->overruns = overruns > INT32_MAX ? INT32_MAX : (int)overruns;
  if (!waits) pthread_sigqueue(pthread_self(), timer->signal, timer->value);
}

bool rank_send_alarms(struct tidings_channel* channel) {
  bool handled = false;
  for (int i = 0; i < TIMERS; ++i) {
    struct alarm_timer* timer = &timers[i];
    if (timer->due_ps == 0 || timer->due_ps > channel->local_ps) continue;
    uint64_t missed = 0;
    if (timer->interval_ps == 0) {
      timer->due_ps = 0;
    } else {
      /* As the kernel does: alarms that come too late are one. */
      missed = (channel->local_ps - timer->due_ps) / timer->interval_ps;
      timer->due_ps += timer->interval_ps * (missed + 1);
    }
    find_next_alarm(); /* the handler may set it anew */
    const int signal = i < ITIMERS ? signals[i] : timer->signal;
    if (signal == 0) continue;
    handled = is_handled(signal) || handled;
    if (i < ITIMERS)
      raise(signal);
    else
      notify(timer, missed);
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
  static int (*next)(timer_t, int, const struct itimerspec*, struct itimerspec*);
  if (next == NULL) rank_find_next(&next, "timer_settime");
  next(cpu_clock, 0, &when, NULL);
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
    static int (*next)(clockid_t, struct sigevent*, timer_t*);
    if (next == NULL) rank_find_next(&next, "timer_create");
    if (next(CLOCK_THREAD_CPUTIME_ID, &event, &cpu_clock) != 0) return;
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
  if (timer->due_ps != 0)
    state.it_value = time_of(timer->due_ps > channel->local_ps ? timer->due_ps - channel->local_ps : 1);
  return state;
}

RANK_EXPORT int getitimer(__itimer_which_t which, struct itimerval* value) {
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel == NULL || (int)which < 0 || (int)which >= ITIMERS) {
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
  if (channel == NULL || (int)which < 0 || (int)which >= ITIMERS || value == NULL || !valid_time(&value->it_value) ||
      !valid_time(&value->it_interval)) {
    static int (*next)(__itimer_which_t, const struct itimerval*, struct itimerval*);
    if (next == NULL) rank_find_next(&next, "setitimer");
    return next(which, value, before);
  }
  rank_charge_compute(channel);
  if (before != NULL) *before = state_of(channel, (int)which);
  const uint64_t first = picoseconds_of(&value->it_value);
  timers[which].due_ps = first == 0 ? 0 : channel->local_ps + first;
  timers[which].interval_ps = first == 0 ? 0 : picoseconds_of(&value->it_interval);
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

/* ---------------------------------------------------------------- timers of timer_create */

/** One of ours; null if it is libc's. */
static struct alarm_timer* own_timer(timer_t timer) {
  for (int i = ITIMERS; i < TIMERS; ++i)
    if ((timer_t)&timers[i] == timer) return &timers[i];
  return NULL;
}

/** What a call does with one of ours that has been deleted, or belongs to the parent process. */
static int no_timer(void) {
  errno = EINVAL;
  return -1;
}

static bool is_for_us(clockid_t clock, const struct sigevent* event) {
  const bool known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME ||
                     clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
  if (!known || event == NULL || event->sigev_notify == SIGEV_NONE) return known;
  if (event->sigev_notify == SIGEV_THREAD_ID && event->_sigev_un._tid != gettid()) return false;
  return event->sigev_notify != SIGEV_THREAD && event->sigev_signo > 0 && event->sigev_signo < NSIG;
}

RANK_EXPORT int timer_create(clockid_t clock, struct sigevent* restrict event, timer_t* restrict result) {
  struct alarm_timer* made = NULL;
  for (int i = ITIMERS; made == NULL && i < TIMERS; ++i)
    if (!timers[i].exists) made = &timers[i];
  if (rank_channel_of_main_thread() == NULL || made == NULL || !is_for_us(clock, event)) {
    static int (*next)(clockid_t, struct sigevent*, timer_t*);
    if (next == NULL) rank_find_next(&next, "timer_create");
    return next(clock, event, result);
  }
  *made = (struct alarm_timer){.exists = true, .dates = clock == CLOCK_REALTIME, .signal = SIGALRM};
  made->value.sival_ptr = (timer_t)made;
  if (event != NULL) {
    made->signal = event->sigev_notify == SIGEV_NONE ? 0 : event->sigev_signo;
    made->value = event->sigev_value;
  }
  *result = (timer_t)made;
  return 0;
}

static struct timespec timespec_of(uint64_t picoseconds) {
  const uint64_t ns = (picoseconds + 999) / 1000;
  return (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
}

static void show(const struct tidings_channel* channel, const struct alarm_timer* timer, struct itimerspec* value) {
  const uint64_t left = timer->due_ps > channel->local_ps ? timer->due_ps - channel->local_ps : 1;
  value->it_interval = timespec_of(timer->interval_ps);
  value->it_value = timespec_of(timer->due_ps == 0 ? 0 : left);
}

static bool valid_span(const struct timespec* span) {
  return span->tv_sec >= 0 && span->tv_nsec >= 0 && span->tv_nsec < 1000000000;
}

RANK_EXPORT int timer_settime(timer_t name, int flags, const struct itimerspec* restrict value,
                              struct itimerspec* restrict before) {
  struct alarm_timer* timer = own_timer(name);
  if (timer == NULL) {
    static int (*next)(timer_t, int, const struct itimerspec*, struct itimerspec*);
    if (next == NULL) rank_find_next(&next, "timer_settime");
    return next(name, flags, value, before);
  }
  struct tidings_channel* channel = rank_channel();
  if (channel == NULL || !timer->exists || value == NULL || !valid_span(&value->it_value) ||
      !valid_span(&value->it_interval))
    return no_timer();
  if (before != NULL) show(channel, timer, before);
  const struct timespec* first = &value->it_value;
  uint64_t due = 0;
  if ((flags & TIMER_ABSTIME) == 0) {
    due = channel->local_ps + rank_interval_ps((uint64_t)first->tv_sec, (uint64_t)first->tv_nsec);
  } else {
    const uint64_t epoch = timer->dates ? RANK_EPOCH_S : 0;
    const uint64_t second = (uint64_t)first->tv_sec;
    due = second < epoch ? 1 : rank_interval_ps(second - epoch, (uint64_t)first->tv_nsec) + 1;
  }
  timer->overruns = 0;
  timer->due_ps = first->tv_sec == 0 && first->tv_nsec == 0 ? 0 : due;
  timer->interval_ps = rank_interval_ps((uint64_t)value->it_interval.tv_sec, (uint64_t)value->it_interval.tv_nsec);
  find_next_alarm();
  if (rank_channel_of_main_thread() == NULL) return 0;
  rank_charge_compute(channel);
  look_at_cpu_time(channel);
  rank_look_at_alarms(channel);
  return 0;
}

RANK_EXPORT int timer_gettime(timer_t name, struct itimerspec* value) {
  const struct alarm_timer* timer = own_timer(name);
  if (timer == NULL) {
    static int (*next)(timer_t, struct itimerspec*);
    if (next == NULL) rank_find_next(&next, "timer_gettime");
    return next(name, value);
  }
  const struct tidings_channel* channel = rank_channel();
  if (channel == NULL || !timer->exists) return no_timer();
  show(channel, timer, value);
  return 0;
}

RANK_EXPORT int timer_getoverrun(timer_t name) {
  const struct alarm_timer* timer = own_timer(name);
  if (timer == NULL) {
    static int (*next)(timer_t);
    if (next == NULL) rank_find_next(&next, "timer_getoverrun");
    return next(name);
  }
  return timer->exists ? timer->overruns : no_timer();
}

RANK_EXPORT int timer_delete(timer_t name) {
  struct alarm_timer* timer = own_timer(name);
  if (timer == NULL) {
    static int (*next)(timer_t);
    if (next == NULL) rank_find_next(&next, "timer_delete");
    return next(name);
  }
  if (!timer->exists) return no_timer();
  *timer = (struct alarm_timer){.exists = false};
  find_next_alarm();
  return 0;
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
