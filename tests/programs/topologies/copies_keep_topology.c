// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Copies of a communicator keep its topology; communicators split from it have none.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int dims[2] = {0, 0}, kind;
  const int wraps[2] = {0, 1};
  MPI_Comm grid, copy, part;
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 1, &grid);
  int place;
  MPI_Comm_rank(grid, &place);
  MPI_Comm_dup(grid, &copy);
  MPI_Topo_test(copy, &kind);
  int from, to, other_from, other_to;
  MPI_Cart_shift(grid, 1, 1, &from, &to);
  MPI_Cart_shift(copy, 1, 1, &other_from, &other_to);
  say("%d, same %d\n", kind == MPI_CART, from == other_from && to == other_to);
  MPI_Comm_split(grid, 0, place, &part);
  MPI_Topo_test(part, &kind);
  int same;
  MPI_Comm_compare(grid, part, &same);
  say("%d, congruent %d, rank %d\n", kind == MPI_UNDEFINED, same == MPI_CONGRUENT, rank >= 0);
  MPI_Comm_free(&part);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&grid);
  say_all();
  MPI_Finalize();
  return 0;
}
