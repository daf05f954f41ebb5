// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Windows of communicators that are parts of the world, several at a time, with ranks of their own.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 3, -rank, &part);
  int place, size, value = rank, cells[2][17];
  MPI_Comm_rank(part, &place);
  MPI_Comm_size(part, &size);
  memset(cells, 0xff, sizeof cells);
  MPI_Win whole, own;
  MPI_Win_create(cells[0], sizeof cells[0], sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &whole);
  MPI_Win_create(cells[1], sizeof cells[1], sizeof(int), MPI_INFO_NULL, part, &own);
  MPI_Win_fence(0, whole);
  MPI_Win_fence(0, own);
  MPI_Put(&value, 1, MPI_INT, (rank + 1) % ranks, rank, 1, MPI_INT, whole);
  MPI_Put(&value, 1, MPI_INT, (place + 1) % size, place, 1, MPI_INT, own);
  MPI_Win_fence(0, own);
  MPI_Win_fence(0, whole);
  say("%d %d\n", cells[0][(rank + ranks - 1) % ranks], cells[1][(place + size - 1) % size]);
  MPI_Group group;
  int members;
  MPI_Win_get_group(own, &group);
  MPI_Group_size(group, &members);
  say("%d members\n", members);
  MPI_Group_free(&group);
  MPI_Win_free(&own);
  MPI_Win_free(&whole);
  MPI_Comm_free(&part);
  say_all();
  MPI_Finalize();
  return 0;
}
