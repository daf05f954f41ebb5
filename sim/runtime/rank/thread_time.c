/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file thread_time.c
 * The clocks of threads, and what they have slept, which passes for the one that joins them.
 *
 * A thread other than the main one lives in real time: a sleep lasts as long as it would in virtual time. Its clock is
 * the rank's, or ahead of it by what the thread has slept, waited in vain, and paid for looks at the clock.
 *
 * Whoever joins it cannot have done so before it has slept. Only sleeps count: how often a thread looks at the clock
 * or polls depends on the speed of the computer that simulates.
 */
#define _GNU_SOURCE
#include "sim/runtime/rank/thread_time.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim/runtime/rank/next.h"
#include "sim/runtime/rank/rank.h"

/** A thread from its start until it is joined, or, if nobody will, until it ends. */
struct life {
  pthread_t thread;
  uint64_t clock_ps; /**< how far its own clock has come; the rank's may be ahead */
  uint64_t until_ps; /**< the time of its start, and what it has slept since */
  bool detached, ended;
  void* (*body)(void*);
  void* argument;
  struct life* next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of the list, and of what its members say */
static struct life* lives;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local struct life* own;

/** The mutex is held. */
static void forget(struct life* life) {
  struct life** place = &lives;
  while (*place != NULL && *place != life) place = &(*place)->next;
  if (*place != NULL) *place = life->next;
  free(life);
}

/** The mutex is held. @return NULL if the thread was not started by pthread_create. */
static struct life* find(pthread_t thread) {
  struct life* life = lives;
  while (life != NULL && !pthread_equal(life->thread, thread)) life = life->next;
  return life;
}

static void end(void* argument) {
  struct life* life = argument;
  pthread_mutex_lock(&mutex);
  own = NULL;
  life->ended = true;
  if (life->detached) forget(life);
  pthread_mutex_unlock(&mutex);
}

static void make_key(void) { pthread_key_create(&key, end); }

static void* run(void* argument) {
  struct life* life = argument;
  own = life;
  pthread_setspecific(key, life);
  return life->body(life->argument);
}

struct tidings_channel* rank_channel_of_thread(void) {
  struct tidings_channel* channel = rank_channel_of_main_thread();
  return channel != NULL || own == NULL ? channel : rank_channel();
}

uint64_t rank_thread_ps(const struct tidings_channel* channel) {
  const uint64_t now = __atomic_load_n(&channel->local_ps, __ATOMIC_RELAXED);
  return own != NULL && own->clock_ps > now ? own->clock_ps : now;
}

void rank_thread_reaches(struct tidings_channel* channel, uint64_t picoseconds) {
  if (own != NULL) {
    if (picoseconds > own->clock_ps) own->clock_ps = picoseconds;
  } else if (picoseconds > channel->local_ps) {
    rank_advance(channel, picoseconds - channel->local_ps);
  }
}

void rank_thread_slept(uint64_t picoseconds) {
  if (own == NULL) return;
  own->until_ps += picoseconds;
  const struct tidings_channel* channel = rank_channel();
  if (channel != NULL) own->clock_ps = rank_thread_ps(channel) + picoseconds;
}

RANK_EXPORT int pthread_create(pthread_t* restrict thread, const pthread_attr_t* restrict attributes,
                               void* (*body)(void*), void* restrict argument) {
  static int (*next)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  if (next == NULL) rank_find_next(&next, "pthread_create");
  struct tidings_channel* channel = rank_channel_of_main_thread();
  pthread_once(&once, make_key);
  struct life* life = calloc(1, sizeof *life);
  if (life == NULL) return EAGAIN;
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != NULL) pthread_attr_getdetachstate(attributes, &state);
  life->detached = state == PTHREAD_CREATE_DETACHED;
  life->until_ps = channel != NULL ? channel->local_ps : own != NULL ? own->until_ps : 0;
  life->clock_ps = own != NULL ? own->clock_ps : life->until_ps;
  life->body = body;
  life->argument = argument;
  pthread_mutex_lock(&mutex); /* a detached thread may end before its creator goes on */
  const int result = next(thread, attributes, run, life);
  if (result == 0) {
    life->thread = *thread;
    life->next = lives;
    lives = life;
  } else {
    free(life);
  }
  pthread_mutex_unlock(&mutex);
  return result;
}

RANK_EXPORT int pthread_detach(pthread_t thread) {
  static int (*next)(pthread_t);
  if (next == NULL) rank_find_next(&next, "pthread_detach");
  pthread_mutex_lock(&mutex);
  struct life* life = find(thread);
  if (life != NULL) {
    life->detached = true;
    if (life->ended) forget(life);
  }
  pthread_mutex_unlock(&mutex);
  return next(thread);
}

RANK_EXPORT int pthread_join(pthread_t thread, void** value) {
  static int (*next)(pthread_t, void**);
  if (next == NULL) rank_find_next(&next, "pthread_join");
  const int result = next(thread, value);
  if (result != 0) return result;
  uint64_t until_ps = 0;
  pthread_mutex_lock(&mutex);
  struct life* life = find(thread);
  if (life != NULL) {
    until_ps = life->until_ps;
    forget(life);
  }
  pthread_mutex_unlock(&mutex);
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel != NULL && until_ps > channel->local_ps) rank_advance(channel, until_ps - channel->local_ps);
  if (own != NULL && until_ps > own->until_ps) own->until_ps = until_ps;
  if (own != NULL && until_ps > own->clock_ps) own->clock_ps = until_ps;
  return 0;
}
