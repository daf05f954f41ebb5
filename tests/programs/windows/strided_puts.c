// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Columns of a matrix are PUT and GOT: strided at the origin, at the target, and at both with other strides.
#include "program.h"

enum { N = 9 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int memory[N][N], other[N][N];
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      memory[i][j] = 0;
      other[i][j] = rank * 1000 + i * 10 + j;
    }
  }
  MPI_Datatype column, pairs, backwards;
  MPI_Type_vector(N, 1, N, MPI_INT, &column);
  MPI_Type_vector(3, 2, 4, MPI_INT, &pairs);
  const int lengths[3] = {1, 2, 3}, places[3] = {8, 4, 0};
  MPI_Type_indexed(3, lengths, places, MPI_INT, &backwards);
  MPI_Type_commit(&column);
  MPI_Type_commit(&pairs);
  MPI_Type_commit(&backwards);
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  const int right = (rank + 1) % ranks;
  MPI_Win_fence(0, win);
  MPI_Put(&other[0][2], 1, column, right, 4, 1, column, win);
  MPI_Put(&other[3][0], N, MPI_INT, right, 6, 1, column, win);
  MPI_Put(&other[0][7], 1, column, right, 0, N, MPI_INT, win);
  MPI_Put(&other[1][0], 1, backwards, right, 2 * N + 10, 1, pairs, win);
  MPI_Win_fence(0, win);
  say("%08x\n", checksum(memory, sizeof memory));
  int got[N] = {0}, six[6] = {0};
  MPI_Win_fence(0, win);
  MPI_Get(got, N, MPI_INT, right, 4, 1, column, win);
  MPI_Get(six, 6, MPI_INT, right, 2 * N + 10, 1, pairs, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < N; ++i) say("%d ", got[i]);
  for (int i = 0; i < 6; ++i) say("%d%s", six[i], i == 5 ? "\n" : " ");
  MPI_Win_free(&win);
  MPI_Type_free(&column);
  MPI_Type_free(&pairs);
  MPI_Type_free(&backwards);
  say_all();
  MPI_Finalize();
  return 0;
}
