// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Every rank reads a different part of every other rank's memory between two fences.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int mine[34], got[17][2];
  for (int i = 0; i < 34; ++i) mine[i] = rank * 1000 + i;
  MPI_Win win;
  MPI_Win_create(mine, sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win);
  for (int r = 0; r < ranks; ++r) MPI_Get(got[r], 2, MPI_INT, r, 2 * rank, 2, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  for (int r = 0; r < ranks; ++r) say(" %d %d", got[r][0], got[r][1]);
  say("\n");
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
