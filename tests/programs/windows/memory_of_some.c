// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A window to which only some ranks give memory; the others access it and have none.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const bool gives = rank % 2 == 0;
  int* memory = NULL;
  MPI_Win win;
  if (gives) memory = allocate(17 * sizeof(int));
  MPI_Win_create(memory, gives ? 17 * (MPI_Aint)sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  for (int r = 0; r < ranks; r += 2) MPI_Put(&rank, 1, MPI_INT, r, rank, 1, MPI_INT, win);
  MPI_Put(NULL, 0, MPI_INT, (rank + 1) % ranks, 0, 0, MPI_INT, win);
  MPI_Put(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  if (gives) {
    for (int r = 0; r < ranks; ++r) say(" %d", memory[r]);
  }
  say("\n");
  MPI_Win_free(&win);
  free(memory);
  say_all();
  MPI_Finalize();
  return 0;
}
