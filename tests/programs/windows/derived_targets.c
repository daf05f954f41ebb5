// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Puts and gets whose origin and target have other layouts: rows into columns, blocks out of planes.
#include "program.h"

enum { N = 6 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int plane[N][N], row[N], block[2][3];
  for (int i = 0; i < N * N; ++i) plane[i / N][i % N] = rank * 100 + i;
  MPI_Win win;
  MPI_Win_create(plane, sizeof plane, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Datatype column, part;
  MPI_Type_vector(N, 1, N, MPI_INT, &column);
  const int sizes[2] = {N, N}, sub[2] = {2, 3}, starts[2] = {3, 2};
  MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, MPI_INT, &part);
  MPI_Type_commit(&column);
  MPI_Type_commit(&part);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  for (int i = 0; i < N; ++i) row[i] = -rank * 10 - i;
  MPI_Win_fence(0, win);
  MPI_Get(block, 6, MPI_INT, left, 0, 1, part, win);
  MPI_Win_fence(0, win);
  MPI_Put(row, N, MPI_INT, right, 1, 1, column, win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(block, 6, MPI_INT, right, 0, 1, part, MPI_SUM, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 6; ++i) say(" %d", block[i / 3][i % 3]);
  say("\n");
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < N; ++k) say(" %d", plane[i][k]);
  }
  say("\n");
  MPI_Type_free(&column);
  MPI_Type_free(&part);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
