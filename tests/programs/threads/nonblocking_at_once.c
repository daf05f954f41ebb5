// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Threads start nonblocking collectives of communicators of their own, and wait in different ways.
#include "threads.h"

enum { THREADS = 3, ROUNDS = 6, COUNT = 50 };

static void* body(void* argument) {
  struct worker* worker = argument;
  int me;
  MPI_Comm_rank(worker->comm, &me);
  for (int round = 0; round < ROUNDS; ++round) {
    int from[COUNT], sums[COUNT] = {0}, spread[COUNT] = {0};
    for (int i = 0; i < COUNT; ++i) from[i] = me * 3 + i + round * worker->number;
    if (me == 0) memcpy(spread, from, sizeof from);
    MPI_Request requests[3];
    MPI_Iallreduce(from, sums, COUNT, MPI_INT, MPI_SUM, worker->comm, &requests[0]);
    MPI_Ibcast(spread, COUNT, MPI_INT, 0, worker->comm, &requests[1]);
    MPI_Ibarrier(worker->comm, &requests[2]);
    if (worker->number == 0) {
      int flag = 0;
      while (flag == 0) MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
    } else {
      MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    worker->sum = worker->sum * 31 + checksum(sums, sizeof sums) + checksum(spread, sizeof spread);
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
