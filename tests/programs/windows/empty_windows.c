// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Ranks without memory in a window, accesses of no elements, and accesses to MPI_PROC_NULL.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int* memory = NULL;
  const int words = rank % 2 == 0 ? 3 : 0;
  MPI_Win win;
  MPI_Win_allocate(words * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < words; ++i) memory[i] = rank;
  MPI_Win_fence(0, win);
  const int given = 5 + rank, target = (rank + 1) % ranks;
  int got = -1;
  MPI_Put(&given, 0, MPI_INT, target, 0, 0, MPI_INT, win);
  MPI_Get(&got, 0, MPI_INT, target, 0, 0, MPI_INT, win);
  MPI_Accumulate(&given, 0, MPI_INT, target, 0, 0, MPI_INT, MPI_SUM, win);
  MPI_Put(&given, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Get(&got, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  if (target % 2 == 0) MPI_Accumulate(&given, 1, MPI_INT, target, 1, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  say("%d:", got);
  for (int i = 0; i < words; ++i) say(" %d", memory[i]);
  say("\n");
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
