// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Gathers of blocks of different lengths to places in any order with gaps between them, from every root.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int counts[17], places[17], all[17 * 8], mine[8];
  const int length = rank % 4;
  for (int i = 0; i < 8; ++i) mine[i] = rank * 10 + i;
  for (int r = 0; r < ranks; ++r) {
    counts[r] = r % 4;
    places[r] = (ranks - 1 - r) * 7 + 1;
  }
  for (int root = 0; root < ranks; root += 2) {
    for (int i = 0; i < 17 * 8; ++i) all[i] = -1;
    MPI_Gatherv(mine, length, MPI_INT, all, counts, places, MPI_INT, root, MPI_COMM_WORLD);
    say("%08x\n", rank == root ? (unsigned)checksum(all, sizeof all) : 0);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
