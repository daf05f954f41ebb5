// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Distributed arrays, by blocks, cyclically and in cyclic blocks: the pieces of all processes are the whole.
#include "program.h"

enum { ROWS = 12, COLUMNS = 10 };

static void spread(int distribution, int argument, int order) {
  const int rank = my_rank();
  const int sizes[2] = {ROWS, COLUMNS}, grid[2] = {3, 2};
  const int kinds[2] = {distribution, MPI_DISTRIBUTE_BLOCK}, arguments[2] = {argument, MPI_DISTRIBUTE_DFLT_DARG};
  int whole[ROWS * COLUMNS], copy[ROWS * COLUMNS], pieces[ROWS * COLUMNS], filled = 0;
  for (int i = 0; i < ROWS * COLUMNS; ++i) whole[i] = rank * 500 + i, copy[i] = -1;
  for (int place = 0; place < 6; ++place) {
    MPI_Datatype piece;
    int size, position = 0, back = 0;
    MPI_Type_create_darray(6, place, 2, sizes, kinds, arguments, grid, order, MPI_INT, &piece);
    MPI_Type_commit(&piece);
    MPI_Type_size(piece, &size);
    MPI_Pack(whole, 1, piece, pieces, (int)sizeof pieces, &position, MPI_COMM_SELF);
    say("%d: %d bytes, %08x\n", place, size, (unsigned)checksum(pieces, (size_t)size));
    MPI_Unpack(pieces, (int)sizeof pieces, &back, copy, 1, piece, MPI_COMM_SELF);
    filled += size / (int)sizeof(int);
    MPI_Type_free(&piece);
  }
  say("filled %d, equal %d\n", filled, memcmp(whole, copy, sizeof whole) == 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  spread(MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, MPI_ORDER_C);
  spread(MPI_DISTRIBUTE_BLOCK, 5, MPI_ORDER_C);
  spread(MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, MPI_ORDER_C);
  spread(MPI_DISTRIBUTE_CYCLIC, 2, MPI_ORDER_C);
  spread(MPI_DISTRIBUTE_CYCLIC, 3, MPI_ORDER_FORTRAN);
  say_all();
  MPI_Finalize();
  return 0;
}
