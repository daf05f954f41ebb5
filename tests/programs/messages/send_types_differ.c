// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A message's type signature counts, not its layout: columns arrive as rows, pairs as arrays.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  double matrix[6][5], row[6] = {0};
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 5; ++k) matrix[i][k] = rank * 100 + i * 10 + k;
  }
  MPI_Datatype column, pair;
  MPI_Type_vector(6, 1, 5, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(&matrix[0][2], 1, column, right, 0, row, 6, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("%.0f %.0f %.0f\n", row[0], row[3], row[5]);
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  MPI_Status status;
  int pairs, numbers;
  MPI_Sendrecv(row, 3, pair, right, 1, &matrix[0][0], 1, column, left, 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, pair, &pairs);
  MPI_Get_elements(&status, column, &numbers);
  say("%d pairs, %d numbers: %.0f %.0f, beside %.0f\n", pairs, numbers, matrix[0][0], matrix[5][0], matrix[5][1]);
  MPI_Type_free(&column);
  MPI_Type_free(&pair);
  say_all();
  MPI_Finalize();
  return 0;
}
