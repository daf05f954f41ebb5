// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A stencil of five points on a grid of ranks in two dimensions, with columns as derived types.
#include "program.h"

enum { N = 8, STEPS = 6 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int dims[2] = {0, 0}, coords[2];
  const int wraps[2] = {1, 0};
  MPI_Comm grid;
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, coords);
  int near[2][2];
  for (int d = 0; d < 2; ++d) MPI_Cart_shift(grid, d, 1, &near[d][0], &near[d][1]);
  static int a[N + 2][N + 2], b[N + 2][N + 2];
  for (int i = 1; i <= N; ++i) {
    for (int k = 1; k <= N; ++k) a[i][k] = (coords[0] * N + i) * 31 + (coords[1] * N + k) * 7;
  }
  MPI_Datatype column;
  MPI_Type_vector(N, 1, N + 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int turn = 0; turn < STEPS; ++turn) {
    MPI_Request requests[8];
    MPI_Irecv(&a[0][1], N, MPI_INT, near[0][0], 1, grid, &requests[0]);
    MPI_Irecv(&a[N + 1][1], N, MPI_INT, near[0][1], 0, grid, &requests[1]);
    MPI_Irecv(&a[1][0], 1, column, near[1][0], 3, grid, &requests[2]);
    MPI_Irecv(&a[1][N + 1], 1, column, near[1][1], 2, grid, &requests[3]);
    MPI_Isend(&a[1][1], N, MPI_INT, near[0][0], 0, grid, &requests[4]);
    MPI_Isend(&a[N][1], N, MPI_INT, near[0][1], 1, grid, &requests[5]);
    MPI_Isend(&a[1][1], 1, column, near[1][0], 2, grid, &requests[6]);
    MPI_Isend(&a[1][N], 1, column, near[1][1], 3, grid, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= N; ++i) {
      for (int k = 1; k <= N; ++k) {
        b[i][k] = (4 * a[i][k] + a[i - 1][k] + a[i + 1][k] + a[i][k - 1] + a[i][k + 1]) % 30011;
      }
    }
    memcpy(a, b, sizeof a);
  }
  long sum = 0;
  for (int i = 1; i <= N; ++i) {
    for (int k = 1; k <= N; ++k) sum += (long)a[i][k] * (i + k);
  }
  say("(%d, %d): %ld\n", coords[0], coords[1], sum);
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
  say_all();
  MPI_Finalize();
  return 0;
}
