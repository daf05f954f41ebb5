// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Timers of timer_create that real clocks would take hours for.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t came, told;

static void note(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  ++came;
  told = info->si_value.sival_int;
}

static struct timespec now_of(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now;
}

static struct timespec begun;
/** Whole milliseconds since the last call. */
static long passed(void) {
  const struct timespec now = now_of(CLOCK_MONOTONIC);
  const long ms = (now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000;
  begun = now;
  return ms;
}

static timer_t made(clockid_t clock, int notify, int signal, int value) {
  struct sigevent event = {.sigev_notify = notify, .sigev_signo = signal};
  event.sigev_value.sival_int = value;
  timer_t timer;
  if (timer_create(clock, &event, &timer) != 0) perror("timer_create");
  return timer;
}

static void set(timer_t timer, int flags, time_t first, time_t interval) {
  const struct itimerspec value = {.it_value = {first, 0}, .it_interval = {interval, 0}};
  if (timer_settime(timer, flags, &value, NULL) != 0) perror("timer_settime");
}

int main(void) {
  struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
  sigaction(SIGRTMIN, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  passed();

  timer_t once = made(CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGRTMIN, 7);
  set(once, 0, 5000, 0);
  const int paused = pause();
  printf("pause %d %s, told %d after %ld ms\n", paused, errno == EINTR ? "EINTR" : "?", told, passed());

  // Two at a time, one of them again and again, until an absolute time of the other.
  timer_t often = made(CLOCK_REALTIME, SIGEV_SIGNAL, SIGUSR1, 8);
  came = 0;
  set(often, 0, 1000, 1000);
  set(once, TIMER_ABSTIME, begun.tv_sec + 10001, 0);
  while (told != 7 || came == 0) {
    told = 0;
    pause();
  }
  struct itimerspec left;
  timer_gettime(often, &left);
  printf("%d signals in %ld ms, next in %ld s of %ld\n", (int)came, passed(),
         (long)(left.it_value.tv_sec + (left.it_value.tv_nsec != 0)), (long)left.it_interval.tv_sec);

  // What comes while its signal is blocked is one signal.
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  came = 0;
  sleep(3500);
  sigprocmask(SIG_UNBLOCK, &blocked, NULL);
  printf("%d signal and %d more, %ld ms\n", (int)came, timer_getoverrun(often), passed());
  const int gone = timer_delete(often), again = timer_delete(often);
  sleep(5000);
  printf("deleted %d, again %d; %d signal, %ld ms\n", gone, again, (int)came, passed());

  // Without a signal, and a date that is over.
  timer_t silent = made(CLOCK_MONOTONIC, SIGEV_NONE, 0, 0);
  set(silent, 0, 100, 0);
  sleep(40);
  timer_gettime(silent, &left);
  const long rest = (long)(left.it_value.tv_sec + (left.it_value.tv_nsec != 0));
  timer_t dated = made(CLOCK_REALTIME, SIGEV_SIGNAL, SIGRTMIN, 9);
  set(dated, TIMER_ABSTIME, now_of(CLOCK_REALTIME).tv_sec - 5, 0);
  printf("%ld s left, told %d at once, %ld ms\n", rest, told, passed());
  return 0;
}
