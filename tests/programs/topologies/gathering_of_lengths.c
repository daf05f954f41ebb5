// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Neighbours in a ring of a graph gather blocks of lengths that depend on the sender.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int near[2] = {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, near, MPI_UNWEIGHTED, 2, near, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &ring);
  double mine[5], got[12];
  for (int i = 0; i < 5; ++i) mine[i] = rank + i * 0.125;
  for (int i = 0; i < 12; ++i) got[i] = -1;
  const int counts[2] = {near[0] % 5, near[1] % 5}, places[2] = {6, 0};
  MPI_Neighbor_allgatherv(mine, rank % 5, MPI_DOUBLE, got, counts, places, MPI_DOUBLE, ring);
  for (int i = 0; i < 12; ++i) say(" %.3f", got[i]);
  say("\n");
  MPI_Comm_free(&ring);
  say_all();
  MPI_Finalize();
  return 0;
}
