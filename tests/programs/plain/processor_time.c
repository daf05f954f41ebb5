// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// All that tells processor time goes on while the program sleeps: the rank's processor is its own.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static long used_ms(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0 || usage.ru_stime.tv_sec != 0 || usage.ru_maxrss == 0) return -1;
  return usage.ru_utime.tv_sec * 1000 + usage.ru_utime.tv_usec / 1000;
}

static long ticks_ms(clock_t ticks) { return ticks * 1000 / sysconf(_SC_CLK_TCK); }

int main(void) {
  struct tms before, after;
  const clock_t at = times(&before), processor = clock();
  const long used = used_ms();
  sleep(1000);
  const clock_t later = times(&after);
  printf("times %ld ms, of it user %ld ms, getrusage %ld ms, clock %ld ms\n", ticks_ms(later - at),
         ticks_ms(after.tms_utime - before.tms_utime), used_ms() - used,
         (long)(clock() - processor) / (CLOCKS_PER_SEC / 1000));
  return 0;
}
