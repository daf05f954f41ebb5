// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Passive targets: the owner of a window waits in a receive, a barrier, or for its memory to change.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  volatile int* memory;
  MPI_Win win;
  MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, (void*)&memory, &win);
  for (int i = 0; i < 8; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const int one = 1;
  int token = 0;
  // Rank 0 is in a receive until all others are through.
  if (rank != 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    MPI_Send(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  } else {
    for (int r = 1; r < ranks; ++r) MPI_Recv(&token, 1, MPI_INT, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  // The others are in a barrier while the last rank writes to all of them.
  if (rank == ranks - 1) {
    MPI_Win_lock_all(0, win);
    for (int r = 0; r < ranks; ++r) MPI_Put(&ranks, 1, MPI_INT, r, 1, 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  // A flag that goes round: each rank looks at its own memory until it is there.
  MPI_Win_lock_all(0, win);
  // MPICH grants locks only inside of calls: nobody may look at its memory before all have them.
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0) {
    while (memory[2] == 0) MPI_Win_sync(win);
  }
  MPI_Accumulate(&one, 1, MPI_INT, (rank + 1) % ranks, 2, 1, MPI_INT, MPI_REPLACE, win);
  MPI_Win_flush((rank + 1) % ranks, win);
  if (rank == 0) {
    while (memory[2] == 0) MPI_Win_sync(win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  say("rank %d: %d %d %d\n", rank, memory[0], memory[1] == ranks, memory[2]);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
