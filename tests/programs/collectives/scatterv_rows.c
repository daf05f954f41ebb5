// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Rows of a matrix are shared out as evenly as possible, worked on, and collected again.
#include "program.h"

enum { ROWS = 23, COLUMNS = 6 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int counts[17], places[17], place = 0;
  for (int r = 0; r < ranks; ++r) {
    counts[r] = (ROWS / ranks + (r < ROWS % ranks)) * COLUMNS;
    places[r] = place;
    place += counts[r];
  }
  double matrix[ROWS][COLUMNS], mine[ROWS][COLUMNS];
  if (rank == 0) {
    for (int i = 0; i < ROWS * COLUMNS; ++i) matrix[i / COLUMNS][i % COLUMNS] = i;
  }
  MPI_Scatterv(matrix, counts, places, MPI_DOUBLE, mine, counts[rank], MPI_DOUBLE, 0, MPI_COMM_WORLD);
  double sum = 0;
  for (int i = 0; i < counts[rank]; ++i) {
    double* element = &mine[0][0] + i;
    *element = *element * *element;
    sum += *element;
  }
  say("%d numbers, %.0f\n", counts[rank], sum);
  memset(matrix, 0, sizeof matrix);
  MPI_Allgatherv(mine, counts[rank], MPI_DOUBLE, matrix, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  say("%.0f %.0f\n", matrix[ROWS / 2][0], matrix[ROWS - 1][COLUMNS - 1]);
  say_all();
  MPI_Finalize();
  return 0;
}
