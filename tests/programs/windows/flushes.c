// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Each kind of flush, to one rank and to all, complete at the origin and at the target.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(4 * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  for (int i = 0; i < 4; ++i) memory[i] = -1;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  int value = rank;
  MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, win);
  MPI_Win_flush_local(right, win);
  value = 100 + rank;
  MPI_Put(&value, 1, MPI_INT, right, 1, 1, MPI_INT, win);
  MPI_Win_flush(right, win);
  value = 200 + rank;
  MPI_Put(&value, 1, MPI_INT, right, 2, 1, MPI_INT, win);
  MPI_Put(&value, 1, MPI_INT, left, 3, 1, MPI_INT, win);
  MPI_Win_flush_local_all(win);
  value = 0;
  MPI_Win_flush_all(win);
  int got[4];
  MPI_Get(got, 3, MPI_INT, right, 0, 3, MPI_INT, win);
  MPI_Get(&got[3], 1, MPI_INT, left, 3, 1, MPI_INT, win);
  MPI_Win_flush_local_all(win);
  say("%d %d %d %d\n", got[0], got[1], got[2], got[3]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  say("%d %d %d %d\n", memory[0], memory[1], memory[2], memory[3]);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
