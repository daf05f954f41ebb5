// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Columns with the extent of one element are scattered and gathered side by side.
#include "program.h"

enum { ROWS = 4 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int width = 2 * ranks;
  double* matrix = allocate((size_t)(ROWS * width) * sizeof(double));
  double* back = allocate((size_t)(ROWS * width) * sizeof(double));
  if (rank == 0) {
    for (int i = 0; i < ROWS * width; ++i) matrix[i] = i;
  }
  MPI_Datatype plain, column;
  MPI_Type_vector(ROWS, 1, width, MPI_DOUBLE, &plain);
  MPI_Type_create_resized(plain, 0, sizeof(double), &column);
  MPI_Type_commit(&column);
  double mine[2][ROWS];
  MPI_Scatter(matrix, 2, column, mine, 2 * ROWS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int c = 0; c < 2; ++c) {
    for (int i = 0; i < ROWS; ++i) say(" %.0f", mine[c][i]), mine[c][i] = -mine[c][i];
  }
  say("\n");
  MPI_Gather(mine, 2 * ROWS, MPI_DOUBLE, back, 2, column, ranks - 1, MPI_COMM_WORLD);
  if (rank == ranks - 1) {
    double sum = 0;
    for (int i = 0; i < ROWS * width; ++i) sum += back[i] * (i + 1);
    say("%.0f\n", sum);
  }
  MPI_Type_free(&plain);
  MPI_Type_free(&column);
  free(matrix);
  free(back);
  say_all();
  MPI_Finalize();
  return 0;
}
