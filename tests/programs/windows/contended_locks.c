// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// All ranks count in one memory, and in those of their neighbours, under locks that one rank has alone. Others read
// under shared locks meanwhile.
#include "program.h"

enum { TURNS = 4 };

/** Count on in two steps, which the lock makes one. */
static void count(int target, MPI_Win win) {
  int64_t value[2];
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
  MPI_Get(value, 2, MPI_INT64_T, target, 0, 2, MPI_INT64_T, win);
  MPI_Win_flush(target, win);
  ++value[0];
  value[1] -= 2;
  MPI_Put(value, 2, MPI_INT64_T, target, 0, 2, MPI_INT64_T, win);
  MPI_Win_unlock(target, win);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  const int ranks = all_ranks();
  int64_t* memory;
  MPI_Win win;
  MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = memory[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  int torn = 0;
  for (int turn = 0; turn < TURNS; ++turn) {
    count(0, win);
    count((rank + turn) % ranks, win);
    int64_t seen[2];
    const int target = turn * rank % ranks;
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    MPI_Get(seen, 2, MPI_INT64_T, target, 0, 2, MPI_INT64_T, win);
    MPI_Win_unlock(target, win);
    torn += seen[1] != -2 * seen[0];
    if (turn % 2 == 1) {
      MPI_Win_lock_all(0, win);
      MPI_Get(seen, 2, MPI_INT64_T, 0, 0, 2, MPI_INT64_T, win);
      MPI_Win_unlock_all(win);
      torn += seen[1] != -2 * seen[0];
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  say("%d torn, %ld counted, %ld\n", torn, (long)memory[0], (long)memory[1]);
  MPI_Win_unlock(rank, win);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
