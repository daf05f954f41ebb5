// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Blocks of three-dimensional arrays, in the order of C and of Fortran, move between arrays of different shapes.
#include "program.h"

enum { A = 5, B = 6, C = 7 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int whole[A][B][C], other[4][5][6];
  for (int i = 0; i < A * B * C; ++i) (&whole[0][0][0])[i] = rank * 1000 + i;
  memset(other, 0xff, sizeof other);
  const int sizes[3] = {A, B, C}, sub[3] = {2, 3, 4}, starts[3] = {1, 2, 3};
  const int small[3] = {4, 5, 6}, at[3] = {2, 0, 1};
  const int orders[2] = {MPI_ORDER_C, MPI_ORDER_FORTRAN};
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  for (int o = 0; o < 2; ++o) {
    MPI_Datatype from, to;
    MPI_Type_create_subarray(3, sizes, sub, starts, orders[o], MPI_INT, &from);
    MPI_Type_create_subarray(3, small, sub, at, orders[1 - o], MPI_INT, &to);
    MPI_Type_commit(&from);
    MPI_Type_commit(&to);
    MPI_Sendrecv(whole, 1, from, right, o, other, 1, to, left, o, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Aint lower, extent, true_lower, true_extent;
    int size;
    MPI_Type_get_extent(from, &lower, &extent);
    MPI_Type_get_true_extent(from, &true_lower, &true_extent);
    MPI_Type_size(from, &size);
    say("%d: %ld %ld %ld %ld %d, %08x\n", o, (long)lower, (long)extent, (long)true_lower, (long)true_extent, size,
        (unsigned)checksum(other, sizeof other));
    MPI_Type_free(&from);
    MPI_Type_free(&to);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
