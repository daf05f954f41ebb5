// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Work is drawn from a counter by fetch-and-add: each number is drawn once, whoever draws it.
#include "program.h"

enum { TASKS = 40 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int* counter;
  MPI_Win win;
  MPI_Win_allocate(rank == 0 ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
  if (rank == 0) *counter = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const int one = 1;
  long sum = 0, squares = 0, done = 0;
  MPI_Win_lock_all(0, win);
  for (;;) {
    int task;
    MPI_Fetch_and_op(&one, &task, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    if (task >= TASKS) break;
    sum += task;
    squares += (long)task * task;
    ++done;
  }
  MPI_Win_unlock_all(win);
  long mine[3] = {sum, squares, done}, all[3];
  MPI_Reduce(mine, all, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) say("%ld %ld %ld\n", all[0], all[1], all[2]);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    say("%d drawn\n", *counter - ranks);
    MPI_Win_unlock(0, win);
  }
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
