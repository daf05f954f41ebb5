// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Shifts by any distance, forth and back, in grids that wrap round and that do not.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  for (int wrap = 0; wrap < 2; ++wrap) {
    int dims[2] = {0, 0};
    const int wraps[2] = {wrap, 1 - wrap};
    MPI_Comm grid;
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 0, &grid);
    for (int d = 0; d < 2; ++d) {
      for (int by = -3; by <= 3; ++by) {
        int from, to, got = -1;
        MPI_Cart_shift(grid, d, by, &from, &to);
        MPI_Sendrecv(&rank, 1, MPI_INT, to, by + 3, &got, 1, MPI_INT, from, by + 3, grid, MPI_STATUS_IGNORE);
        say(" %d", got);
      }
      say("\n");
    }
    MPI_Comm_free(&grid);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
