// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Fences with each assertion that the program keeps.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int memory[4] = {rank, 10 + rank, 20 + rank, 30 + rank};
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int got[2] = {-1, -1};
  MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT, win);
  MPI_Get(&got[0], 1, MPI_INT, right, 1, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win);
  MPI_Get(&got[1], 1, MPI_INT, left, 2, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSTORE, win);
  const int given = 100 + rank;
  MPI_Put(&given, 1, MPI_INT, right, 0, 1, MPI_INT, win);
  MPI_Put(&given, 1, MPI_INT, left, 3, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  say("%d %d, %d %d %d %d\n", got[0], got[1], memory[0], memory[1], memory[2], memory[3]);
  memory[1] = -memory[1];
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Accumulate(&given, 1, MPI_INT, right, 1, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, win);
  say("%d\n", memory[1]);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
