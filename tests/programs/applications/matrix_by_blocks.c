// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A product of matrices by Cannon's method: blocks move left and up in a square of ranks, others stand by.
#include "program.h"

enum { B = 4 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int ranks = all_ranks();
  int side = 1;
  while ((side + 1) * (side + 1) <= ranks) ++side;
  MPI_Comm grid;
  const int dims[2] = {side, side}, wraps[2] = {1, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 0, &grid);
  if (grid == MPI_COMM_NULL) {
    say("stands by\n");
  } else {
    int coords[2], place, from, to;
    MPI_Comm_rank(grid, &place);
    MPI_Cart_coords(grid, place, 2, coords);
    long a[B][B], b[B][B], c[B][B] = {{0}};
    for (int i = 0; i < B; ++i) {
      for (int k = 0; k < B; ++k) {
        a[i][k] = (coords[0] * B + i) * 3 + coords[1] * B + k;
        b[i][k] = (coords[0] * B + i) - 2 * (coords[1] * B + k) + 1;
      }
    }
    MPI_Cart_shift(grid, 1, -coords[0], &from, &to);
    MPI_Sendrecv_replace(a, B * B, MPI_LONG, to, 0, from, 0, grid, MPI_STATUS_IGNORE);
    MPI_Cart_shift(grid, 0, -coords[1], &from, &to);
    MPI_Sendrecv_replace(b, B * B, MPI_LONG, to, 1, from, 1, grid, MPI_STATUS_IGNORE);
    for (int turn = 0; turn < side; ++turn) {
      for (int i = 0; i < B; ++i) {
        for (int k = 0; k < B; ++k) {
          for (int m = 0; m < B; ++m) c[i][k] += a[i][m] * b[m][k];
        }
      }
      MPI_Cart_shift(grid, 1, -1, &from, &to);
      MPI_Sendrecv_replace(a, B * B, MPI_LONG, to, 2, from, 2, grid, MPI_STATUS_IGNORE);
      MPI_Cart_shift(grid, 0, -1, &from, &to);
      MPI_Sendrecv_replace(b, B * B, MPI_LONG, to, 3, from, 3, grid, MPI_STATUS_IGNORE);
    }
    long trace = 0, sum = 0;
    for (int i = 0; i < B * B; ++i) sum += (&c[0][0])[i];
    if (coords[0] == coords[1]) {
      for (int i = 0; i < B; ++i) trace += c[i][i];
    }
    say("(%d, %d): sum %ld, trace %ld\n", coords[0], coords[1], sum, trace);
    MPI_Comm_free(&grid);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
