// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Halos by MPI_Put between fences: a one-dimensional stencil whose edges are put to the neighbours.
#include "program.h"

enum { N = 12 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  long* cells;
  MPI_Win win;
  MPI_Win_allocate((N + 2) * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &win);
  for (int i = 0; i < N + 2; ++i) cells[i] = rank * N + i;
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  for (int turn = 0; turn < 5; ++turn) {
    MPI_Put(&cells[N], 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
    MPI_Put(&cells[1], 1, MPI_LONG, left, N + 1, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    long next[N + 2];
    for (int i = 1; i <= N; ++i) next[i] = (cells[i - 1] + 2 * cells[i] + cells[i + 1]) % 10007;
    for (int i = 1; i <= N; ++i) cells[i] = next[i];
    MPI_Win_fence(turn == 4 ? MPI_MODE_NOSUCCEED : 0, win);
  }
  for (int i = 1; i <= N; ++i) say(" %ld", cells[i]);
  say("\n");
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
