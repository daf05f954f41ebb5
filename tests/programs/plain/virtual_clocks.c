// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Not an MPI program: what its clocks show is virtual all the same.
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long milliseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static long long milliseconds_of_day(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return now.tv_sec * 1000LL + now.tv_usec / 1000;
}

int main(void) {
  const long long monotonic = milliseconds(CLOCK_MONOTONIC), real = milliseconds(CLOCK_REALTIME);
  const long long day = milliseconds_of_day();
  sleep(1000);
  usleep(250000);
  const struct timespec pause = {.tv_sec = 2, .tv_nsec = 750000000};
  nanosleep(&pause, NULL);
  clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
  printf("monotonic %lld ms, real %lld ms, day %lld ms\n", milliseconds(CLOCK_MONOTONIC) - monotonic,
         milliseconds(CLOCK_REALTIME) - real, milliseconds_of_day() - day);
  return 0;
}
