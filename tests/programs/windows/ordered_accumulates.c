// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Accumulations of one rank to one place happen in the order in which they were called, with what is fetched
// between.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  long memory[17];
  for (int i = 0; i < 17; ++i) memory[i] = 1;
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  const int target = (rank + 1) % ranks;
  const long two = 2, three = 3, seven = 7;
  long fetched[4] = {0};
  MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
  MPI_Get_accumulate(&three, 1, MPI_LONG, &fetched[0], 1, MPI_LONG, target, rank, 1, MPI_LONG, MPI_SUM, win);
  MPI_Get_accumulate(&two, 1, MPI_LONG, &fetched[1], 1, MPI_LONG, target, rank, 1, MPI_LONG, MPI_PROD, win);
  MPI_Accumulate(&seven, 1, MPI_LONG, target, rank, 1, MPI_LONG, MPI_REPLACE, win);
  MPI_Get_accumulate(&two, 1, MPI_LONG, &fetched[2], 1, MPI_LONG, target, rank, 1, MPI_LONG, MPI_NO_OP, win);
  MPI_Accumulate(&three, 1, MPI_LONG, target, rank, 1, MPI_LONG, MPI_PROD, win);
  MPI_Fetch_and_op(&two, &fetched[3], MPI_LONG, target, rank, MPI_SUM, win);
  MPI_Win_unlock(target, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  say("%ld %ld %ld %ld, %ld\n", fetched[0], fetched[1], fetched[2], fetched[3], memory[(rank + ranks - 1) % ranks]);
  MPI_Win_unlock(rank, win);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
