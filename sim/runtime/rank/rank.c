/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rank.c
 * Attaching to the channel, the rank's time, and the hand-over of the turn.
 */
#define _GNU_SOURCE
#include "sim/runtime/rank/rank.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim/machine/relax.h"

/* One process, one rank: the only state of the library beside the channel. */
static struct tidings_channel* attached;
static struct tidings_turn_word* turns; /* of all ranks, and the simulator's */
static struct tidings_turn_word* own_turn;
static uint32_t ranks;
static int32_t process; /* getpid(), which asks the kernel; a forked child has no channel */
static bool taken;      /* this process has taken the channel: none can take it from here */
static _Thread_local bool main_thread;
static _Thread_local uint64_t charged_ns;

/** CPU time of this thread, as the kernel counts it; the clock functions of libc are ours. */
static uint64_t thread_cpu_ns(void) {
  struct timespec t;
  syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void detach(void) {
  attached = NULL;
  taken = false;
}

/** Map the segment at a place of a file, if there is one. The place comes from the environment: trust nothing. */
static struct tidings_channel* map_segment(int fd, off_t offset) {
  struct stat status;
  struct tidings_channel* channel = NULL;
  uint64_t bytes = 0;
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return NULL;
  const size_t at = offsetof(struct tidings_channel, segment_bytes);
  if (pread(fd, &bytes, sizeof bytes, offset + (off_t)at) != (ssize_t)sizeof bytes) return NULL;
  if (bytes < sizeof *channel || bytes > (uint64_t)status.st_size ||
      (uint64_t)offset > (uint64_t)status.st_size - bytes)
    return NULL;
  void* segment = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
  if (segment == MAP_FAILED) return NULL;
  channel = segment;
  if (channel->magic != TIDINGS_CHANNEL_MAGIC || channel->segment_bytes != bytes) {
    munmap(segment, bytes);
    return NULL;
  }
  return channel;
}

/** Map the turns, which the file begins with. @return whether that worked. */
static bool map_turns(int fd, const struct tidings_channel* channel) {
  struct stat status;
  ranks = channel->ranks;
  const uint64_t bytes = ((uint64_t)ranks + 1) * sizeof *turns;
  if (channel->rank >= ranks || fstat(fd, &status) != 0 || bytes > (uint64_t)status.st_size) return false;
  void* words = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (words == MAP_FAILED) return false;
  turns = words;
  own_turn = &turns[channel->rank];
  return true;
}

static void wake(struct tidings_turn_word* word) {
  syscall(SYS_futex, &word->turn, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static bool has_turn(void) { return __atomic_load_n(&own_turn->turn, __ATOMIC_ACQUIRE) == TIDINGS_TURN_RANK; }

/**
 * The simulator is on another core, from which waking a rank takes long: wake the one that it names.
 * @return whether it has named one.
 */
static bool wake_named(void) {
  const uint32_t named = __atomic_exchange_n(&own_turn->wake, 0, __ATOMIC_SEQ_CST);
  if (named != 0 && named <= ranks) wake(&turns[named - 1]);
  return named != 0;
}

/** Sleep until it is this rank's turn. */
static void wait_for_turn(void) {
  __atomic_store_n(&own_turn->sleeps, 1, __ATOMIC_SEQ_CST);
  wake_named(); /* from now on the simulator names none here */
  for (uint32_t now = 0; (now = __atomic_load_n(&own_turn->turn, __ATOMIC_SEQ_CST)) != TIDINGS_TURN_RANK;)
    syscall(SYS_futex, &own_turn->turn, FUTEX_WAIT, now, NULL, NULL, 0);
  __atomic_store_n(&own_turn->sleeps, 0, __ATOMIC_SEQ_CST);
}

/** How often ranks have given the turn away since the simulator's count was `given`. */
static uint32_t given_since(uint32_t given) { return __atomic_load_n(&turns[ranks].given, __ATOMIC_RELAXED) - given; }

/**
 * Look for the turn for about as long as it takes to wake a process on another core. Ranks share a core, and one that
 * looks keeps others from it. So only the rank looks that had the turn last, and of two that take turns with each other
 * the other one, too: the one that has waited for longer goes first, and each goes when another one is called. The
 * first one sleeps when it has woken another rank, which then has the turn last.
 * @param given the simulator's count when this rank gave its turn away. @param last it gave it to the simulator.
 */
static void look_for_turn(uint32_t given, bool last) {
  enum { ROUNDS = 24, LOOKS = 128, SOON = 3, REGULAR = 4 };
  static uint32_t times; /* so often in a row this rank had the turn again after others had had it at most SOON times */
  const struct tidings_turn_word* simulator = &turns[ranks];
  const uint32_t self = (uint32_t)(own_turn - turns) + 1;
  const bool regular = times >= REGULAR;
  const uint32_t most = regular ? SOON : 0;
  int rounds = last || regular ? ROUNDS : 0;
  for (int round = 0; round < rounds && !has_turn(); ++round) {
    if (__atomic_load_n(&simulator->looks, __ATOMIC_RELAXED) == 0 || given_since(given) > most) break;
    syscall(SYS_sched_yield);
    for (int i = 0; i < LOOKS && !has_turn(); ++i) {
      if (__atomic_load_n(&own_turn->wake, __ATOMIC_RELAXED) != 0 && wake_named() && !regular) {
        rounds = 0;
        break;
      }
      const uint32_t called = __atomic_load_n(&simulator->called, __ATOMIC_RELAXED);
      if (called != 0 && called != self) break;
      tidings_relax();
    }
  }
  if (!has_turn()) wait_for_turn();
  const uint32_t others = given_since(given);
  if (others > SOON) times = 0;
  if (others != 0 && others <= SOON) ++times;
}

__attribute__((constructor)) static void attach(void) {
  const char* text = getenv(TIDINGS_CHANNEL_VARIABLE);
  if (text == NULL) return;
  char* end = NULL;
  const long fd = strtol(text, &end, 10);
  if (end == text || *end != ':' || fd < 0 || fd > INT32_MAX) return;
  const long long offset = strtoll(end + 1, &end, 10);
  if (*end != '\0' || offset < 0) return;
  struct tidings_channel* channel = map_segment((int)fd, (off_t)offset);
  if (channel == NULL || !map_turns((int)fd, channel)) return;
  attached = channel;
  main_thread = true;
  process = getpid();
  if (attached->begun == 0 && attached->owner_pid == process) {
    wait_for_turn();
    if (attached->debugged != 0) attached->owner_pid = 0; /* until the program opens a slot */
  }
  attached->begun = 1;
  rank_skip_compute();
  pthread_atfork(NULL, NULL, detach);
}

/** CPU time that passes now is not the program's, or not measured: it may be spent with looking. */
static bool may_look(void) {
  if (__atomic_load_n(&turns[ranks].looks, __ATOMIC_RELAXED) == 0 || attached->threads != 0) return false;
  return attached->costs.measure_compute == 0 || attached->operation.depth != 0;
}

/** Pass the turn on, and wait until it comes back. */
static void give_turn_away(void) {
  const bool looks = may_look();
  const uint32_t given = __atomic_add_fetch(&turns[ranks].given, 1, __ATOMIC_RELAXED);
  const uint32_t next = own_turn->next;
  struct tidings_turn_word* to = next < ranks ? &turns[next] : &turns[ranks];
  uint32_t queued = TIDINGS_TURN_QUEUED;
  __atomic_store_n(&turns[ranks].called, next < ranks ? next + 1 : 0, __ATOMIC_RELAXED);
  /* The simulator's own word never says so: it gets the turn if nobody else does. */
  const bool passed =
      __atomic_compare_exchange_n(&to->turn, &queued, TIDINGS_TURN_RANK, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
  __atomic_store_n(&own_turn->turn, TIDINGS_TURN_SIMULATOR, __ATOMIC_RELEASE);
  if (!passed) {
    to = &turns[ranks];
    __atomic_store_n(&to->turn, TIDINGS_TURN_SIMULATOR, __ATOMIC_SEQ_CST);
  }
  if (__atomic_load_n(&to->sleeps, __ATOMIC_SEQ_CST) != 0) wake(to);
  if (looks) {
    look_for_turn(given, !passed);
  } else {
    wait_for_turn();
  }
}

static void end_if_told(void) {
  if (attached->answer != TIDINGS_ANSWER_END) return;
  fflush(NULL);
  _exit(EXIT_FAILURE);
}

/**
 * The program has written over the channel, by a wild pointer. Without one, calls would return at once and a program
 * that waits in them would go on for ever: leave all to the simulator, which says so.
 */
static void end_if_overwritten(void) {
  if (attached == NULL) return;
  if (attached->magic == TIDINGS_CHANNEL_MAGIC && (!taken || attached->owner_pid == process)) return;
  if (attached->magic == TIDINGS_CHANNEL_MAGIC) attached->magic = TIDINGS_CHANNEL_LOST;
  wait_for_turn();
  for (;;) {
    give_turn_away();
    end_if_told();
  }
}

struct tidings_channel* rank_channel(void) {
  end_if_overwritten();
  /* A descendant may have taken the rank over, or this may be one that never did. */
  return attached != NULL && attached->owner_pid == process ? attached : NULL;
}

struct tidings_channel* rank_attached_channel(void) {
  end_if_overwritten();
  return attached;
}

struct tidings_channel* rank_channel_of_main_thread(void) { return main_thread ? rank_channel() : NULL; }

bool rank_can_take_channel(void) {
  if (attached == NULL) return false;
  const bool ours = attached->state == TIDINGS_SLOTS_OPEN && attached->owner_pid == process;
  return ours || attached->state == TIDINGS_SLOTS_UNUSED;
}

struct tidings_channel* rank_take_channel(void) {
  if (!rank_can_take_channel()) return NULL;
  attached->owner_pid = process;
  taken = true;
  return attached;
}

void rank_hand_over(struct tidings_channel* channel, enum tidings_stop stop) {
  channel->stop = stop;
  give_turn_away();
  while (channel->answer == TIDINGS_ANSWER_DESCRIBE) {
    rank_describe_wait();
    give_turn_away();
  }
  end_if_told();
}

void rank_advance(struct tidings_channel* channel, uint64_t picoseconds) {
  /* A signal handler may come here while the turn is the simulator's: time then stands still. */
  if (__atomic_load_n(&own_turn->turn, __ATOMIC_RELAXED) != TIDINGS_TURN_RANK) return;
  if (picoseconds > channel->time_limit_ps || channel->local_ps > channel->time_limit_ps - picoseconds) {
    channel->local_ps = channel->time_limit_ps;
    rank_hand_over(channel, TIDINGS_STOP_LIMIT);
  }
  channel->local_ps += picoseconds;
}

void rank_charge_compute(struct tidings_channel* channel) {
  if (channel->costs.measure_compute == 0 || channel->operation.depth != 0) return;
  uint64_t now = thread_cpu_ns();
  uint64_t used = now - charged_ns;
  charged_ns = now;
  rank_advance(channel, (uint64_t)((double)used * 1000.0 * channel->costs.compute_scale));
}

void rank_skip_compute(void) {
  if (attached != NULL && attached->costs.measure_compute != 0) charged_ns = thread_cpu_ns();
}

/** What the program did after its last call counts too. */
__attribute__((destructor)) static void leave(void) {
  struct tidings_channel* channel = rank_channel_of_main_thread();
  if (channel != NULL) rank_charge_compute(channel);
}
