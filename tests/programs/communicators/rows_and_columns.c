// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Ranks in a rectangle with communicators of rows and of columns, and what both compute together.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int width = 1;
  while (width * width < ranks) ++width;
  MPI_Comm row, column;
  MPI_Comm_split(MPI_COMM_WORLD, rank / width, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % width, rank, &column);
  int in_row, in_column, value = rank + 1, prefix, most;
  MPI_Comm_rank(row, &in_row);
  MPI_Comm_rank(column, &in_column);
  MPI_Scan(&value, &prefix, 1, MPI_INT, MPI_SUM, row);
  MPI_Allreduce(&prefix, &most, 1, MPI_INT, MPI_MAX, column);
  MPI_Bcast(&value, 1, MPI_INT, 0, column);
  say("(%d, %d): %d %d %d\n", in_column, in_row, prefix, most, value);
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
  say_all();
  MPI_Finalize();
  return 0;
}
