// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Nobody leaves a barrier before all have come: what was written before it is there after it.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Win win;
  int *memory, wrong = 0;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  *memory = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  const int one = 1;
  for (int turn = 1; turn <= 6; ++turn) {
    int seen = -1;
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Fetch_and_op(NULL, &seen, MPI_INT, 0, 0, MPI_NO_OP, win);
    MPI_Win_flush(0, win);
    wrong += seen != turn * ranks;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  say("rank %d: %d wrong\n", rank, wrong);
  say_all();
  MPI_Finalize();
  return 0;
}
