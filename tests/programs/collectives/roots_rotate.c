// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Rooted collectives of all roots follow each other without a barrier and do not mix.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  uint32_t hash = 0;
  for (int turn = 0; turn < 3; ++turn) {
    for (int root = 0; root < ranks; ++root) {
      int value[2] = {rank == root ? root * 10 + turn : -1, rank}, sum[2] = {0, 0};
      MPI_Bcast(value, 1, MPI_INT, root, MPI_COMM_WORLD);
      MPI_Reduce(value, sum, 2, MPI_INT, MPI_SUM, (root + turn) % ranks, MPI_COMM_WORLD);
      hash = hash * 31 + checksum(value, sizeof value) + (uint32_t)sum[0] + (uint32_t)sum[1];
    }
  }
  say("%08x\n", (unsigned)hash);
  say_all();
  MPI_Finalize();
  return 0;
}
