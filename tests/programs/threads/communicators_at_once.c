// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Threads make communicators at once, use them, and free them again.
#include "threads.h"

enum { THREADS = 4, ROUNDS = 6 };

static void* body(void* argument) {
  struct worker* worker = argument;
  for (int round = 0; round < ROUNDS; ++round) {
    MPI_Comm made;
    int me;
    MPI_Comm_rank(worker->comm, &me);
    if ((round + worker->number) % 2 == 0) {
      MPI_Comm_dup(worker->comm, &made);
    } else {
      MPI_Comm_split(worker->comm, me % 2, -me, &made);
    }
    int rank, size, sum = 0;
    MPI_Comm_rank(made, &rank);
    MPI_Comm_size(made, &size);
    const int value = me + worker->number;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, made);
    int got = -1;
    MPI_Sendrecv(&sum, 1, MPI_INT, (rank + 1) % size, 7, &got, 1, MPI_INT, (rank + size - 1) % size, 7, made,
                 MPI_STATUS_IGNORE);
    worker->sum = worker->sum * 31 + (uint32_t)(sum * 100 + got + rank);
    MPI_Comm_free(&made);
  }
  return NULL;
}

int main(void) {
  init_for_threads();
  struct worker workers[THREADS] = {0};
  for (int i = 0; i < THREADS; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
  run_threads(workers, THREADS, body);
  for (int i = 0; i < THREADS; ++i) MPI_Comm_free(&workers[i].comm);
  say_sums(workers, THREADS);
  say_all();
  MPI_Finalize();
  return 0;
}
