// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A stencil of seven points in a box of ranks: six faces as subarrays, exchanged dimension after dimension.
#include "program.h"

enum { N = 4, M = N + 2, STEPS = 3 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int dims[3] = {0, 0, 0}, coords[3];
  const int wraps[3] = {1, 1, 0}, sizes[3] = {M, M, M};
  MPI_Comm grid;
  MPI_Dims_create(ranks, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, wraps, 0, &grid);
  MPI_Cart_coords(grid, rank, 3, coords);
  MPI_Datatype faces[3][4];  // first and last of the inside, first and last of the halo
  for (int d = 0; d < 3; ++d) {
    const int layers[4] = {1, N, 0, N + 1};
    for (int f = 0; f < 4; ++f) {
      int sub[3] = {N, N, N}, starts[3] = {1, 1, 1};
      sub[d] = 1;
      starts[d] = layers[f];
      MPI_Type_create_subarray(3, sizes, sub, starts, MPI_ORDER_C, MPI_INT, &faces[d][f]);
      MPI_Type_commit(&faces[d][f]);
    }
  }
  static int a[M][M][M], b[M][M][M];
  for (int i = 0; i < N * N * N; ++i) {
    a[i / (N * N) + 1][i / N % N + 1][i % N + 1] = (rank * N * N * N + i) % 1000;
  }
  for (int turn = 0; turn < STEPS; ++turn) {
    for (int d = 0; d < 3; ++d) {
      int low, high;
      MPI_Cart_shift(grid, d, 1, &low, &high);
      MPI_Sendrecv(a, 1, faces[d][1], high, d, a, 1, faces[d][2], low, d, grid, MPI_STATUS_IGNORE);
      MPI_Sendrecv(a, 1, faces[d][0], low, 3 + d, a, 1, faces[d][3], high, 3 + d, grid, MPI_STATUS_IGNORE);
    }
    for (int i = 1; i <= N; ++i) {
      for (int k = 1; k <= N; ++k) {
        for (int m = 1; m <= N; ++m) {
          b[i][k][m] = (a[i][k][m] * 6 + a[i - 1][k][m] + a[i + 1][k][m] + a[i][k - 1][m] + a[i][k + 1][m] +
                        a[i][k][m - 1] + a[i][k][m + 1]) %
                       9973;
        }
      }
    }
    memcpy(a, b, sizeof a);
  }
  long sum = 0;
  for (int i = 0; i < M * M * M; ++i) sum += (long)(&a[0][0][0])[i] * (i % 11);
  say("(%d, %d, %d): %ld\n", coords[0], coords[1], coords[2], sum);
  for (int d = 0; d < 3; ++d) {
    for (int f = 0; f < 4; ++f) MPI_Type_free(&faces[d][f]);
  }
  MPI_Comm_free(&grid);
  say_all();
  MPI_Finalize();
  return 0;
}
