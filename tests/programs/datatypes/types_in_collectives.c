// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Derived types in broadcasts, reductions of basic types beside them, and exchanges of blocks of different
// layouts.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int grid[6][8];
  MPI_Datatype frame, block, sized;
  const int sizes[2] = {6, 8}, inner[2] = {4, 6}, one[2] = {1, 1};
  MPI_Type_create_subarray(2, sizes, inner, one, MPI_ORDER_C, MPI_INT, &frame);
  MPI_Type_commit(&frame);
  for (int root = 0; root < ranks; root += 3) {
    for (int i = 0; i < 48; ++i) grid[i / 8][i % 8] = rank * 100 + i;
    MPI_Bcast(grid, 1, frame, root, MPI_COMM_WORLD);
    say("%d: %d %d %d\n", root, grid[0][0], grid[1][1], grid[4][6]);
  }
  // Each pair of ranks exchanges a column for a row.
  MPI_Type_vector(5, 1, ranks, MPI_INT, &block);
  MPI_Type_create_resized(block, 0, sizeof(int), &sized);
  MPI_Type_commit(&sized);
  int* columns = allocate((size_t)(5 * ranks) * sizeof(int));
  int* rows = allocate((size_t)(5 * ranks) * sizeof(int));
  for (int i = 0; i < 5 * ranks; ++i) columns[i] = rank * 1000 + i;
  MPI_Alltoall(columns, 1, sized, rows, 5, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) say(" %d", rows[r * 5 + r % 5]);
  say("\n");
  MPI_Type_free(&frame);
  MPI_Type_free(&block);
  MPI_Type_free(&sized);
  free(columns);
  free(rows);
  say_all();
  MPI_Finalize();
  return 0;
}
