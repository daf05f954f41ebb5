// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// C = A B: rows of A are scattered, B is broadcast, rows of C are gathered.
#include "program.h"

enum { ROWS_EACH = 2, INNER = 6, COLUMNS = 5 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks(), rows = ROWS_EACH * ranks;
  double* a = allocate(sizeof(double) * (size_t)(rows * INNER));
  double* c = allocate(sizeof(double) * (size_t)(rows * COLUMNS));
  double b[INNER * COLUMNS] = {0}, my_a[ROWS_EACH][INNER], my_c[ROWS_EACH][COLUMNS] = {{0}};
  if (rank == 0) {
    for (int i = 0; i < rows * INNER; ++i) a[i] = i % 11 - 5;
    for (int i = 0; i < INNER * COLUMNS; ++i) b[i] = i % 7;
  }
  MPI_Scatter(a, ROWS_EACH * INNER, MPI_DOUBLE, my_a, ROWS_EACH * INNER, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Bcast(b, INNER * COLUMNS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < ROWS_EACH; ++i) {
    for (int k = 0; k < INNER; ++k) {
      for (int j = 0; j < COLUMNS; ++j) my_c[i][j] += my_a[i][k] * b[k * COLUMNS + j];
    }
  }
  MPI_Gather(my_c, ROWS_EACH * COLUMNS, MPI_DOUBLE, c, ROWS_EACH * COLUMNS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < rows; ++i) {
    for (int j = 0; j < COLUMNS; ++j) say("%s%.0f", j == 0 ? "" : " ", c[i * COLUMNS + j]);
    say("\n");
  }
  free(c);
  free(a);
  say_all();
  MPI_Finalize();
  return 0;
}
