// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Ranks of grids of one to four dimensions have row-major coordinates, and coordinates their ranks again.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  for (int n = 1; n <= 4; ++n) {
    int dims[4] = {0, 0, 0, 0}, coords[4], back;
    const int wraps[4] = {1, 0, 1, 0};
    MPI_Comm grid;
    MPI_Dims_create(ranks, n, dims);
    MPI_Cart_create(MPI_COMM_WORLD, n, dims, wraps, 0, &grid);
    MPI_Cart_coords(grid, rank, n, coords);
    MPI_Cart_rank(grid, coords, &back);
    int expected = 0;
    for (int d = 0; d < n; ++d) {
      expected = expected * dims[d] + coords[d];
      say(" %d", coords[d]);
    }
    coords[0] += 2 * dims[0];  // round and round
    int far;
    MPI_Cart_rank(grid, coords, &far);
    say(": %d %d\n", back == expected, far == back);
    MPI_Comm_free(&grid);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
