// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Topologies: grids, their parts and shifts; graphs; distributed graphs, made by neighbours and by anybody.
#include "program.h"

static int smaller(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int kind, dims[3] = {0, 0, 0}, periods[3] = {1, 0, 1}, coords[3], back, from, to;
  MPI_Topo_test(MPI_COMM_WORLD, &kind);
  say("none %d\n", kind == MPI_UNDEFINED);
  for (int n = 1; n <= 60; n += 7) {
    int two[2] = {0, 0}, three[3] = {0, 0, 0}, fixed[3] = {0, n % 2 ? 1 : 2, 0};
    MPI_Dims_create(n, 2, two);
    MPI_Dims_create(n, 3, three);
    MPI_Dims_create(n, 3, fixed);
    say("%d: %d %d, %d %d %d, %d %d %d\n", n, two[0], two[1], three[0], three[1], three[2], fixed[0], fixed[1],
        fixed[2]);
  }
  MPI_Dims_create(ranks, 3, dims);
  MPI_Comm grid, copy, plane;
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
  MPI_Topo_test(grid, &kind);
  MPI_Cart_coords(grid, rank, 3, coords);
  MPI_Cart_rank(grid, coords, &back);
  say("cart %d: %d %d %d, again %d\n", kind == MPI_CART, coords[0], coords[1], coords[2], back == rank);
  for (int d = 0; d < 3; ++d) {
    MPI_Cart_shift(grid, d, 1, &from, &to);
    say(" %d %d", from == MPI_PROC_NULL ? -1 : from, to == MPI_PROC_NULL ? -1 : to);
    MPI_Cart_shift(grid, d, -2, &from, &to);
    say(" %d %d", from == MPI_PROC_NULL ? -1 : from, to == MPI_PROC_NULL ? -1 : to);
  }
  say("\n");
  MPI_Comm_dup(grid, &copy);
  MPI_Cartdim_get(copy, &back);
  int got[3], wraps[3];
  MPI_Cart_get(copy, 3, got, wraps, coords);
  say("copy %d: %d %d %d, %d %d %d\n", back, got[0] == dims[0], got[1] == dims[1], got[2] == dims[2], wraps[0],
      wraps[1], wraps[2]);
  const int stay[3] = {1, 0, 1};
  MPI_Cart_sub(grid, stay, &plane);
  int sum, size;
  MPI_Comm_size(plane, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, plane);
  MPI_Cartdim_get(plane, &back);
  MPI_Comm_rank(plane, &from);
  MPI_Cart_map(MPI_COMM_WORLD, 3, dims, periods, &to);
  say("part: %d of %d, sum %d, dimensions %d, placed %d\n", from, size, sum, back, to >= 0);
  MPI_Comm_free(&plane);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&grid);
  // A grid of fewer ranks.
  const int fewer = ranks > 1 ? ranks - 1 : 1, open = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &fewer, &open, 0, &grid);
  say("left out %d\n", grid == MPI_COMM_NULL);
  if (grid != MPI_COMM_NULL) MPI_Comm_free(&grid);
  // A ring as a graph.
  int index[64], edges[128], near[2], count, nodes;
  for (int r = 0; r < ranks; ++r) {
    index[r] = 2 * (r + 1);
    edges[2 * r] = (r + ranks - 1) % ranks;
    edges[2 * r + 1] = (r + 1) % ranks;
  }
  MPI_Comm ring;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &ring);
  MPI_Topo_test(ring, &kind);
  MPI_Graphdims_get(ring, &nodes, &count);
  say("graph %d: %d %d", kind == MPI_GRAPH, nodes, count);
  MPI_Graph_neighbors_count(ring, rank, &count);
  MPI_Graph_neighbors(ring, rank, 2, near);
  say(", %d: %d %d", count, near[0], near[1]);
  int index_back[64], edges_back[128];
  MPI_Graph_get(ring, ranks, 2 * ranks, index_back, edges_back);
  MPI_Graph_map(MPI_COMM_WORLD, ranks, index, edges, &to);
  say(", %d %d\n", memcmp(edges, edges_back, (size_t)ranks * 2 * sizeof(int)) == 0, to >= 0);
  MPI_Comm_free(&ring);
  // Each rank sends to the next two.
  int sources[64], destinations[64], weights[64], in_weights[64], in, out, weighted;
  for (int i = 0; i < 2; ++i) {
    sources[i] = (rank + 2 * ranks - 1 - i) % ranks;
    destinations[i] = (rank + 1 + i) % ranks;
    weights[i] = rank * 10 + i;
    in_weights[i] = sources[i] * 10 + i;
  }
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, in_weights, 2, destinations, weights, MPI_INFO_NULL, 0,
                                 &graph);
  MPI_Topo_test(graph, &kind);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  int s[64], sw[64], d[64], dw[64];
  MPI_Dist_graph_neighbors(graph, in, s, sw, out, d, dw);
  say("distributed %d: %d %d %d, %d %d, %d %d, %d %d\n", kind == MPI_DIST_GRAPH, in, out, weighted, s[0], s[1], d[0],
      d[1], sw[1] == in_weights[1], dw[0] == weights[0]);
  MPI_Comm_free(&graph);
  // The last rank knows all edges: a star.
  int degree = ranks;
  for (int r = 0; r < ranks; ++r) {
    destinations[r] = r;
    weights[r] = r + 100;
  }
  const int centre = 0;
  MPI_Dist_graph_create(MPI_COMM_WORLD, rank == ranks - 1, &centre, &degree, destinations, weights, MPI_INFO_NULL, 0,
                        &graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  MPI_Dist_graph_neighbors(graph, in, s, sw, out, d, dw);
  qsort(d, (size_t)out, sizeof(int), smaller);
  say("star: %d %d %d, from %d weight %d, to %d\n", in, out, weighted, s[0], sw[0], out > 0 ? d[out - 1] : -1);
  MPI_Comm_free(&graph);
  say_all();
  MPI_Finalize();
  return 0;
}
