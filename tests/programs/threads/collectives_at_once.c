// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Each thread calls collectives of a communicator of its own, all at once and each in an order of its own.
#include "threads.h"

enum { THREADS = 4, ROUNDS = 10, MOST = 300 };

static void* body(void* argument) {
  struct worker* worker = argument;
  int me, ranks;
  MPI_Comm_rank(worker->comm, &me);
  MPI_Comm_size(worker->comm, &ranks);
  int* const from = allocate(sizeof(int) * MOST * (size_t)ranks);
  int* const into = allocate(sizeof(int) * MOST * (size_t)ranks);
  uint64_t state = (uint64_t)worker->number + 5;
  for (int round = 0; round < ROUNDS; ++round) {
    const int count = 1 + (int)(next_random(&state) % MOST);
    const int root = (int)(next_random(&state) % (unsigned)ranks);
    for (int i = 0; i < count * ranks; ++i) from[i] = (me + 1) * 7 + i * (round + 1) + worker->number;
    memset(into, 0, sizeof(int) * (size_t)(MOST * ranks));
    switch (next_random(&state) % 7) {
      case 0:
        MPI_Barrier(worker->comm);
        break;
      case 1:
        if (me == root) memcpy(into, from, sizeof(int) * (size_t)count);
        MPI_Bcast(into, count, MPI_INT, root, worker->comm);
        break;
      case 2:
        MPI_Allreduce(from, into, count, MPI_INT, MPI_SUM, worker->comm);
        break;
      case 3:
        MPI_Reduce(from, into, count, MPI_INT, MPI_MAX, root, worker->comm);
        break;
      case 4:
        MPI_Allgather(from, count, MPI_INT, into, count, MPI_INT, worker->comm);
        break;
      case 5:
        MPI_Alltoall(from, count, MPI_INT, into, count, MPI_INT, worker->comm);
        break;
      default:
        MPI_Scan(from, into, count, MPI_INT, MPI_SUM, worker->comm);
    }
    worker->sum = worker->sum * 31 + checksum(into, sizeof(int) * (size_t)(count * ranks));
  }
  free(from);
  free(into);
  return NULL;
}

int main(void) {
  init_for_threads();
  struct worker workers[THREADS] = {0};
  for (int i = 0; i < THREADS; ++i) {
    // The last two have every second rank, or the ranks the other way round.
    if (i < 2) MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    if (i == 2) MPI_Comm_split(MPI_COMM_WORLD, my_rank() % 2, my_rank(), &workers[i].comm);
    if (i == 3) MPI_Comm_split(MPI_COMM_WORLD, 0, -my_rank(), &workers[i].comm);
  }
  run_threads(workers, THREADS, body);
  for (int i = 0; i < THREADS; ++i) MPI_Comm_free(&workers[i].comm);
  say_sums(workers, THREADS);
  say_all();
  MPI_Finalize();
  return 0;
}
