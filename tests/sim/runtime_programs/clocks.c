/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/* A program that knows nothing of Tidings: what do its clocks show? */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t monotonic_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/** Each line: name of a clock or sleep, nanoseconds or seconds. */
static void show_all(void) {
  printf("monotonic %" PRId64 "\n", monotonic_ns());
  sleep(3);
  printf("sleep %" PRId64 "\n", monotonic_ns());
  usleep(250000);
  printf("usleep %" PRId64 "\n", monotonic_ns());
  nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 7}, NULL);
  printf("nanosleep %" PRId64 "\n", monotonic_ns());
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &(struct timespec){.tv_sec = 10, .tv_nsec = 0}, NULL);
  printf("clock_nanosleep %" PRId64 "\n", monotonic_ns());
  select(0, NULL, NULL, NULL, &(struct timeval){.tv_sec = 1, .tv_usec = 0});
  printf("select %" PRId64 "\n", monotonic_ns());
  poll(NULL, 0, 1000);
  printf("poll %" PRId64 "\n", monotonic_ns());
  printf("invalid %d\n",
         nanosleep(&(struct timespec){.tv_sec = 0, .tv_nsec = 2000000000}, NULL) == -1 && errno == EINVAL);
  struct timeval day;
  gettimeofday(&day, NULL);
  printf("gettimeofday %ld.%06ld\n", (long)day.tv_sec, (long)day.tv_usec);
  printf("time %ld\n", (long)time(NULL));
  printf("clock %ld\n", (long)clock());
  struct timespec date;
  timespec_get(&date, TIME_UTC);
  printf("timespec_get %ld\n", (long)date.tv_sec);
}

static struct timespec after_ns(clockid_t clock, long nanoseconds) {
  struct timespec until;
  clock_gettime(clock, &until);
  until.tv_nsec += nanoseconds;
  return until;
}

/** Sleeps and waits with deadlines, each with the time after it. */
static void* show_of_thread(void* locked) {
  const struct timespec later = {.tv_sec = 1000, .tv_nsec = 10000000};
  printf("starts %" PRId64 "\n", monotonic_ns());
  usleep(2000);
  printf("usleep %" PRId64 "\n", monotonic_ns());
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &later, NULL);
  printf("clock_nanosleep %" PRId64 "\n", monotonic_ns());
  poll(NULL, 0, 1);
  printf("poll %" PRId64 "\n", monotonic_ns());
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  struct timespec until = after_ns(CLOCK_REALTIME, 2000000);
  printf("semaphore %d", sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
  printf(" %" PRId64 "\n", monotonic_ns());
  until = after_ns(CLOCK_REALTIME, 2000000);
  printf("mutex %d", pthread_mutex_timedlock(locked, &until) == ETIMEDOUT);
  printf(" %" PRId64 "\n", monotonic_ns());
  int word = 0;
  until = after_ns(CLOCK_MONOTONIC, 2000000);
  printf("futex %d",
         syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, NULL, FUTEX_BITSET_MATCH_ANY) != 0);
  printf(" %" PRId64 "\n", monotonic_ns());
  return NULL;
}

static void show_thread(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  sleep(1000);
  pthread_t thread;
  pthread_create(&thread, NULL, show_of_thread, &mutex);
  pthread_join(thread, NULL);
  printf("joined %" PRId64 "\n", monotonic_ns());
  const struct timespec until = after_ns(CLOCK_MONOTONIC, 2000000);
  int word = 0;
  printf("futex %d",
         syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &until, NULL, FUTEX_BITSET_MATCH_ANY) != 0);
  printf(" %" PRId64 "\n", monotonic_ns());
}

/** Children live in real time: their clocks are not near the start of the run. */
static int children_are_real(void) {
  struct timespec real;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &real); /* never virtual */
  const pid_t child = fork();
  if (child == 0) _exit(monotonic_ns() / 1000000000 >= real.tv_sec ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/** Waits with a deadline that nobody ends, and one that has been ended before. */
static void timed_waits(void) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 2000000;
  printf("timed out %d", sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
  printf(" at %" PRId64 "\n", monotonic_ns());
  sem_post(&semaphore);
  until.tv_sec += 100;
  printf("came %d", sem_timedwait(&semaphore, &until) == 0);
  printf(" at %" PRId64 "\n", monotonic_ns());
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  until.tv_sec -= 100;
  until.tv_nsec += 3000000;
  printf("timed out %d", pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT);
  printf(" at %" PRId64 "\n", monotonic_ns());
}

/** Waits in vain for a lock that another thread has for writing, each with the time after it. */
static void* show_locks_of_thread(void* locked) {
  struct timespec until = after_ns(CLOCK_REALTIME, 2000000);
  printf("timedrdlock %d", pthread_rwlock_timedrdlock(locked, &until) == ETIMEDOUT);
  printf(" %" PRId64 "\n", monotonic_ns());
  until = after_ns(CLOCK_REALTIME, 2000000);
  printf("timedwrlock %d", pthread_rwlock_timedwrlock(locked, &until) == ETIMEDOUT);
  printf(" %" PRId64 "\n", monotonic_ns());
  until = after_ns(CLOCK_MONOTONIC, 2000000);
  printf("clockrdlock %d", pthread_rwlock_clockrdlock(locked, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
  printf(" %" PRId64 "\n", monotonic_ns());
  until = after_ns(CLOCK_MONOTONIC, 2000000);
  printf("clockwrlock %d", pthread_rwlock_clockwrlock(locked, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
  printf(" %" PRId64 "\n", monotonic_ns());
  return NULL;
}

static void show_locks(void) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_wrlock(&lock);
  sleep(1000);
  pthread_t thread;
  pthread_create(&thread, NULL, show_locks_of_thread, &lock);
  pthread_join(thread, NULL);
}

static void spin_until(int64_t end) {
  while (monotonic_ns() < end) {
  }
  printf("spun\n");
}

int main(int count, char** arguments) {
  const char* mode = count > 1 ? arguments[1] : "all";
  if (strcmp(mode, "all") == 0) show_all();
  if (strcmp(mode, "child") == 0) printf("child real: %d\n", children_are_real());
  if (strcmp(mode, "thread") == 0) show_thread();
  if (strcmp(mode, "waits") == 0) timed_waits();
  if (strcmp(mode, "locks") == 0) show_locks();
  if (strcmp(mode, "spin") == 0) spin_until(count > 2 ? atoll(arguments[2]) : 0);
  return 0;
}
