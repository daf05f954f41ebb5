// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A binary tree as a graph: values are summed up towards the root by neighbourhood collectives.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int index[17], edges[40], count = 0;
  for (int r = 0; r < ranks; ++r) {
    if (r > 0) edges[count++] = (r - 1) / 2;
    for (int child = 2 * r + 1; child <= 2 * r + 2; ++child) {
      if (child < ranks) edges[count++] = child;
    }
    index[r] = count;
  }
  MPI_Comm tree;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &tree);
  int degree, near[3];
  MPI_Graph_neighbors_count(tree, rank, &degree);
  MPI_Graph_neighbors(tree, rank, 3, near);
  long sum = rank + 1, got[3];
  for (int turn = 0; turn < 5; ++turn) {
    // What a rank knows of its subtree grows by a level each time.
    MPI_Neighbor_allgather(&sum, 1, MPI_LONG, got, 1, MPI_LONG, tree);
    sum = rank + 1;
    for (int i = 0; i < degree; ++i) {
      if (near[i] > rank) sum += got[i];
    }
  }
  say("%d neighbours, subtree %ld\n", degree, sum);
  MPI_Comm_free(&tree);
  say_all();
  MPI_Finalize();
  return 0;
}
