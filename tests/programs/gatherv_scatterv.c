// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Gatherv and MPI_Scatterv: other lengths on each rank, none too, with gaps that must stay, in reversed order.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int counts[64], offsets[64], all[64 * 8], mine[8];
  for (int r = 0; r < ranks; ++r) {
    counts[r] = (r * 3) % 5;
    offsets[r] = (ranks - 1 - r) * 6 + 1;
  }
  for (int root = 0; root < ranks; root += 2) {
    for (int i = 0; i < 64 * 8; ++i) all[i] = -7;
    for (int i = 0; i < counts[rank]; ++i) mine[i] = rank * 10 + i;
    MPI_Gatherv(mine, counts[rank], MPI_INT, all, counts, offsets, MPI_INT, root, MPI_COMM_WORLD);
    if (rank == root) say("gatherv at %d: checksum %08x\n", root, (unsigned)checksum(all, sizeof all));
    for (int i = 0; rank == root && i < 64 * 8; ++i) all[i] = root * 1000 + i;
    for (int i = 0; i < 8; ++i) mine[i] = -1;
    MPI_Scatterv(all, counts, offsets, MPI_INT, mine, counts[rank], MPI_INT, root, MPI_COMM_WORLD);
    say("rank %d from %d:", rank, root);
    for (int i = 0; i < 5; ++i) say(" %d", mine[i]);
    say("\n");
  }
  say_all();
  MPI_Finalize();
  return 0;
}
