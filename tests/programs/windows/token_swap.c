// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A token goes round by get-accumulate with replacement: each rank takes what lies there and leaves its own.
#include "program.h"

enum { ROUNDS = 3 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(2 * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  memory[0] = 1000;
  memory[1] = rank;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int turn = 0; turn < ROUNDS * ranks; ++turn) {
    if (turn % ranks == rank) {
      const int own[2] = {turn, rank * 10};
      int found[2];
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      MPI_Get_accumulate(own, 2, MPI_INT, found, 2, MPI_INT, 0, 0, 2, MPI_INT, MPI_REPLACE, win);
      MPI_Win_unlock(0, win);
      say("%d %d\n", found[0], found[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
