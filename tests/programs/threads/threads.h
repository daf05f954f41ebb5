// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

/**
 * @file threads.h
 * What the programs with several threads per rank share.
 */
#ifndef TIDINGS_TESTS_THREADS_H
#define TIDINGS_TESTS_THREADS_H

#include <pthread.h>

#include "program.h"

/** MPI_Init_thread for programs whose threads all call MPI. */
static inline void init_for_threads(void) {
  int provided = -1;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  int level = -1;
  MPI_Query_thread(&level);
  if (provided == MPI_THREAD_MULTIPLE && level == MPI_THREAD_MULTIPLE) return;
  fprintf(stderr, "MPI_THREAD_MULTIPLE was asked for, %d is given and %d told\n", provided, level);
  abort();
}

enum { MOST_THREADS = 8 };

/** A thread of a rank. */
struct worker {
  pthread_t thread;
  int number;
  MPI_Comm comm; /**< its own, if the program gives it one */
  uint32_t sum;  /**< what it has to say at the end */
};

/** Run `body` in several threads, and wait for them. */
static inline void run_threads(struct worker* workers, int count, void* (*body)(void*)) {
  for (int i = 0; i < count; ++i) {
    workers[i].number = i;
    if (pthread_create(&workers[i].thread, NULL, body, &workers[i]) != 0) abort();
  }
  for (int i = 0; i < count; ++i) pthread_join(workers[i].thread, NULL);
}

/** Say what each thread has computed, in their order. */
static inline void say_sums(const struct worker* workers, int count) {
  for (int i = 0; i < count; ++i) say("rank %d thread %d: %08x\n", my_rank(), i, (unsigned)workers[i].sum);
}

#endif
