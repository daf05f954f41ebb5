/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file threads.c
 * The threads of a rank: virtual time stands still until each of them waits.
 */
#define _GNU_SOURCE
#pragma GCC visibility push(default)
#include "drivers/threads.h"
#pragma GCC visibility pop

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim/runtime/rank/rank.h"

enum {
  FIRST_PAUSE_NS = 20 * 1000,
  LONGEST_PAUSE_NS = 1000 * 1000,
  LEAST_PATIENCE_NS = 50 * 1000,
  MOST_PATIENCE_NS = 20 * 1000 * 1000,
};

void tidings_threads_begin(void) {
  struct tidings_channel* channel = rank_channel();
  if (channel != NULL) channel->threads = 1;
}

/** A file of a thread's folder. @return false if the thread is gone. */
static bool read_of_thread(const char* thread, const char* file, char* text, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%.16s/%s", thread, file);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t got = read(fd, text, size - 1);
  close(fd);
  text[got < 0 ? 0 : got] = '\0';
  return got > 0;
}

/** What the system says of the other threads: a sum of who they are and how often each has run. */
struct look {
  bool asleep; /**< all of them */
  uint64_t sum;
};

static struct look look_at_threads(void) {
  struct look look = {.asleep = true, .sum = 0};
  DIR* folder = opendir("/proc/self/task");
  if (folder == NULL) return look;
  const long self = syscall(SYS_gettid);
  for (const struct dirent* entry = readdir(folder); entry != NULL && look.asleep; entry = readdir(folder)) {
    char* end = NULL;
    const long thread = strtol(entry->d_name, &end, 10);
    if (end == entry->d_name || thread == self) continue;
    char text[512];
    if (!read_of_thread(entry->d_name, "stat", text, sizeof text)) continue;
    const char* state = strrchr(text, ')'); /* the name before it may hold anything */
    look.asleep = state != NULL && state[1] == ' ' && state[2] == 'S';
    unsigned long long ran = 0, waited = 0, times = 0;
    if (!look.asleep || !read_of_thread(entry->d_name, "schedstat", text, sizeof text)) continue;
    if (sscanf(text, "%llu %llu %llu", &ran, &waited, &times) != 3) continue;
    look.sum = (look.sum + (uint64_t)thread) * UINT64_C(0x9e3779b97f4a7c15) + times;
  }
  closedir(folder);
  return look;
}

/** No other thread can go on: all slept at one moment, because none has run between two looks at it. */
static bool settled(void) {
  const struct look first = look_at_threads();
  if (!first.asleep) return false;
  const struct look second = look_at_threads();
  return second.asleep && second.sum == first.sum;
}

void tidings_threads_settle(const uint32_t* news, uint32_t seen) {
  /* Halved with each thread that computes on: what it computes takes long, and every wait would last so long. */
  static uint64_t patience_ns = MOST_PATIENCE_NS;
  uint64_t waited_ns = 0;
  for (uint64_t pause_ns = FIRST_PAUSE_NS;; pause_ns = pause_ns < LONGEST_PAUSE_NS ? 2 * pause_ns : pause_ns) {
    if (__atomic_load_n(news, __ATOMIC_ACQUIRE) != seen) return;
    if (settled()) {
      patience_ns = MOST_PATIENCE_NS;
      return;
    }
    if (waited_ns >= patience_ns) {
      if (patience_ns > LEAST_PATIENCE_NS) patience_ns /= 2;
      return;
    }
    const struct timespec pause = {.tv_sec = 0, .tv_nsec = (long)pause_ns};
    syscall(SYS_futex, news, FUTEX_WAIT_PRIVATE, seen, &pause, NULL, 0);
    waited_ns += pause_ns;
  }
}

void tidings_threads_tell(const uint32_t* news) { syscall(SYS_futex, news, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

void tidings_threads_wake(void) {
  struct tidings_channel* channel = rank_channel();
  if (channel != NULL) __atomic_store_n(&channel->wake, 1, __ATOMIC_RELEASE);
}

void tidings_threads_depart(void) {
  struct tidings_channel* channel = rank_channel();
  if (channel != NULL) __atomic_store_n(&channel->wake, 0, __ATOMIC_RELEASE);
}
