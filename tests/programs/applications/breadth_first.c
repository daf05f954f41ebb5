// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Breadth-first search in a graph that is spread over ranks: each level's vertices go to their owners.
#include "program.h"

enum { PER = 20 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int n = PER * ranks;
  int level[PER], frontier[PER], size = 0;
  for (int i = 0; i < PER; ++i) level[i] = -1;
  if (rank == 0) level[0] = 0, frontier[size++] = 0;
  for (int depth = 1;; ++depth) {
    static int out[17][3 * PER], in[17 * 3 * PER];
    int counts[17] = {0}, places[17], in_counts[17], in_places[17], total = 0, active;
    for (int i = 0; i < size; ++i) {
      const int v = frontier[i];
      const int next[3] = {(v * 2 + 1) % n, (v + 7) % n, (v * v + 3) % n};
      for (int k = 0; k < 3; ++k) out[next[k] / PER][counts[next[k] / PER]++] = next[k];
    }
    MPI_Alltoall(counts, 1, MPI_INT, in_counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r) {
      places[r] = r * 3 * PER;
      in_places[r] = total;
      total += in_counts[r];
    }
    MPI_Alltoallv(out, counts, places, MPI_INT, in, in_counts, in_places, MPI_INT, MPI_COMM_WORLD);
    size = 0;
    for (int i = 0; i < total; ++i) {
      if (level[in[i] % PER] >= 0) continue;
      level[in[i] % PER] = depth;
      frontier[size++] = in[i];
    }
    MPI_Allreduce(&size, &active, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (active == 0) break;
  }
  for (int i = 0; i < PER; ++i) say(" %d", level[i]);
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
