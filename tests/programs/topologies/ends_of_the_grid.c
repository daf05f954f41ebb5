// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Neighbours beyond the end of a grid do not exist: their blocks stay as they were.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int open = 0;
  MPI_Comm line;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &open, 0, &line);
  int mine = rank + 10, got[2] = {-1, -2};
  MPI_Neighbor_allgather(&mine, 1, MPI_INT, got, 1, MPI_INT, line);
  say("%d %d", got[0], got[1]);
  const int out[2] = {rank * 2, rank * 2 + 1};
  got[0] = got[1] = -7;
  MPI_Neighbor_alltoall(out, 1, MPI_INT, got, 1, MPI_INT, line);
  say(", %d %d", got[0], got[1]);
  const int counts[2] = {1, 1}, places[2] = {1, 0};
  got[0] = got[1] = -9;
  MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, got, counts, places, MPI_INT, line);
  say(", %d %d\n", got[0], got[1]);
  MPI_Comm_free(&line);
  say_all();
  MPI_Finalize();
  return 0;
}
