// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A distributed graph whose edges have a direction and a weight: each rank sends to more ranks than it receives
// from, or to fewer.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int sources[17], targets[17], weights_in[17], weights_out[17], in = 0, out = 0;
  for (int r = 0; r < ranks; ++r) {
    if ((r * 3 + rank) % 4 == 1) sources[in] = r, weights_in[in++] = r * 20 + rank;
    if ((rank * 3 + r) % 4 == 1) targets[out] = r, weights_out[out++] = rank * 20 + r;
  }
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, weights_in, out, targets, weights_out, MPI_INFO_NULL, 0,
                                 &graph);
  int in_again, out_again, weighted;
  MPI_Dist_graph_neighbors_count(graph, &in_again, &out_again, &weighted);
  say("%d in, %d out, weighted %d\n", in_again, out_again, weighted);
  int counts_out[17], counts_in[17], places_out[17], places_in[17], data[17 * 4], got[17 * 4];
  for (int i = 0; i < out; ++i) {
    counts_out[i] = (rank + targets[i]) % 3;
    places_out[i] = 4 * i;
    for (int k = 0; k < 4; ++k) data[4 * i + k] = rank * 100 + targets[i] * 4 + k;
  }
  for (int i = 0; i < in; ++i) counts_in[i] = (rank + sources[i]) % 3, places_in[i] = 4 * i;
  memset(got, 0xff, sizeof got);
  MPI_Neighbor_alltoallv(data, counts_out, places_out, MPI_INT, got, counts_in, places_in, MPI_INT, graph);
  say("%08x", (unsigned)checksum(got, sizeof got));
  int all[17 * 2];
  const int mine[2] = {rank, rank * rank};
  MPI_Neighbor_allgather(mine, 2, MPI_INT, all, 2, MPI_INT, graph);
  long sum = 0;
  for (int i = 0; i < in; ++i) sum += all[2 * i] + 3 * all[2 * i + 1];
  say(" %ld\n", sum);
  MPI_Comm_free(&graph);
  say_all();
  MPI_Finalize();
  return 0;
}
