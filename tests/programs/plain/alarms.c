// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Sets alarms that real clocks would take hours for, and prints when they come.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t alarms;

static void count(int signal) {
  (void)signal;
  ++alarms;
}

static struct timespec begun;
/** Whole milliseconds since the last call. */
static long passed(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long ms = (now.tv_sec - begun.tv_sec) * 1000 + (now.tv_nsec - begun.tv_nsec) / 1000000;
  begun = now;
  return ms;
}

static void set(long milliseconds, long interval) {
  const struct itimerval value = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000},
                                  .it_interval = {interval / 1000, interval % 1000 * 1000}};
  setitimer(ITIMER_REAL, &value, NULL);
}

int main(void) {
  signal(SIGALRM, count);
  passed();

  alarm(5000);
  const int paused = pause();
  printf("pause %d %s, %d alarm after %ld ms\n", paused, errno == EINTR ? "EINTR" : "?", alarms, passed());

  alarm(1000);
  const unsigned left = sleep(3000);
  printf("sleep has %u s left, %d alarms, %ld ms\n", left, alarms, passed());

  set(2000, 2000);
  struct timespec rest = {.tv_sec = 9, .tv_nsec = 500000000};
  int interruptions = 0;
  while (nanosleep(&rest, &rest) != 0) ++interruptions;
  printf("%d interruptions, %d alarms, %ld ms\n", interruptions, alarms, passed());
  set(0, 0);

  alarm(7000);
  sleep(2000);
  printf("%u s were left, %d alarms, %ld ms\n", alarm(0), alarms, passed());

  signal(SIGALRM, SIG_IGN);
  alarm(1000);
  const unsigned none_left = sleep(2000);
  printf("ignored: sleep has %u s left, %ld ms\n", none_left, passed());
  signal(SIGALRM, count);

  set(20, 0);
  while (alarms < 7) continue;  // no call: as much CPU time must be enough
  printf("%d alarms, %ld ms\n", alarms, passed());
  return 0;
}
