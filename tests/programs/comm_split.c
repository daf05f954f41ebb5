// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Comm_split: rows and columns of a grid, reversed order by key, ranks that take no part, many times over.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Comm row, column, reversed, some;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank, &row);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 4, rank, &column);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 0 ? 1 : MPI_UNDEFINED, 0, &some);
  int row_rank, row_ranks, column_sum, reversed_rank, first;
  MPI_Comm_rank(row, &row_rank);
  MPI_Comm_size(row, &row_ranks);
  MPI_Allreduce(&rank, &column_sum, 1, MPI_INT, MPI_SUM, column);
  MPI_Comm_rank(reversed, &reversed_rank);
  first = rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, reversed);
  say("rank %d: row %d of %d, column sum %d, reversed %d, its first is %d\n", rank, row_rank, row_ranks, column_sum,
      reversed_rank, first);
  if (some != MPI_COMM_NULL) {
    int members[64], n;
    MPI_Comm_size(some, &n);
    MPI_Allgather(&rank, 1, MPI_INT, members, 1, MPI_INT, some);
    say("rank %d: %d members, checksum %08x\n", rank, n, (unsigned)checksum(members, sizeof(int) * (size_t)n));
    MPI_Barrier(some);
    MPI_Comm_free(&some);
  } else {
    say("rank %d takes no part\n", rank);
  }
  // Messages within a row carry the row's ranks.
  int neighbour = -1;
  MPI_Status status;
  MPI_Sendrecv(&rank, 1, MPI_INT, (row_rank + 1) % row_ranks, 1, &neighbour, 1, MPI_INT, MPI_ANY_SOURCE, 1, row,
               &status);
  say("rank %d: neighbour %d, here %d\n", rank, neighbour, status.MPI_SOURCE);
  // All at once, on communicators that cross.
  int row_max, column_min;
  MPI_Reduce(&rank, &row_max, 1, MPI_INT, MPI_MAX, row_ranks - 1, row);
  MPI_Allreduce(&rank, &column_min, 1, MPI_INT, MPI_MIN, column);
  if (row_rank == row_ranks - 1) say("rank %d: row maximum %d\n", rank, row_max);
  say("rank %d: column minimum %d\n", rank, column_min);
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&column);
  MPI_Comm_free(&row);
  for (int i = 0; i < 12; ++i) {  // context numbers are given back
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, ranks - rank, &half);
    int sum;
    MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, half);
    if (i == 11) say("rank %d: sum %d\n", rank, sum);
    MPI_Comm_free(&half);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
