// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Some threads ask again and again (MPI_Test, MPI_Iprobe, MPI_Testsome) while others block.
#include "threads.h"

enum { THREADS = 4, ROUNDS = 6 };

static void* body(void* argument) {
  struct worker* worker = argument;
  const int me = my_rank(), ranks = all_ranks();
  const int to = (me + 1 + worker->number) % ranks, from = (me + 2 * ranks - 1 - worker->number) % ranks;
  for (int round = 0; round < ROUNDS; ++round) {
    const int value = me * 100 + worker->number * 10 + round;
    int got = -1;
    MPI_Request requests[2];
    MPI_Isend(&value, 1, MPI_INT, to, worker->number, MPI_COMM_WORLD, &requests[0]);
    if (worker->number == 1) {
      int flag = 0;
      while (flag == 0) MPI_Iprobe(from, worker->number, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Irecv(&got, 1, MPI_INT, from, worker->number, MPI_COMM_WORLD, &requests[1]);
    if (worker->number == 0) {
      int flag = 0;
      while (flag == 0) MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else if (worker->number == 2) {
      for (int done = 0, some = 0, indices[2]; done < 2; done += some)
        MPI_Testsome(2, requests, &some, indices, MPI_STATUSES_IGNORE);
    } else {
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    worker->sum = worker->sum * 31 + (uint32_t)got;
  }
  return NULL;
}

int main(void) {
  init_for_threads();
  struct worker workers[THREADS] = {0};
  run_threads(workers, THREADS, body);
  say_sums(workers, THREADS);
  say_all();
  MPI_Finalize();
  return 0;
}
