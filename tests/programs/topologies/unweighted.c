// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Distributed graphs without weights, and ranks without neighbours.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Comm graph;
  int in, out, weighted;
  const int target = (rank + 1) % ranks, source = (rank + ranks - 1) % ranks;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &source, MPI_UNWEIGHTED, 1, &target, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  int got = -1;
  MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &got, 1, MPI_INT, graph);
  say("ring: %d %d %d, %d\n", in, out, weighted, got);
  MPI_Comm_free(&graph);
  // Even ranks send to all odd ones and have no sources.
  int targets[17], sources[17];
  in = out = 0;
  for (int r = 0; r < ranks; ++r) {
    if (rank % 2 == 0 && r % 2 == 1) targets[out++] = r;
    if (rank % 2 == 1 && r % 2 == 0) sources[in++] = r;
  }
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, MPI_UNWEIGHTED, out, targets, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  int all[17] = {0}, sum = 0;
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, graph);
  for (int i = 0; i < in; ++i) sum += all[i];
  say("halves: %d %d, sum %d\n", in, out, sum);
  MPI_Comm_free(&graph);
  say_all();
  MPI_Finalize();
  return 0;
}
