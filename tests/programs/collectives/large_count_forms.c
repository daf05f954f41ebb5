// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Collectives whose counts have 64 bits do the same as those of 32 bits.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int mine[20], all[17 * 20], other[17 * 20];
  MPI_Count counts[17];
  MPI_Aint places[17];
  for (int i = 0; i < 20; ++i) mine[i] = rank * 20 + i;
  for (int r = 0; r < ranks; ++r) counts[r] = r % 5, places[r] = 20 * (MPI_Aint)r;
  memset(all, 0, sizeof all);
  memset(other, 0, sizeof other);
  MPI_Allgatherv_c(mine, rank % 5, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
  say("%08x", (unsigned)checksum(all, sizeof all));
  MPI_Allreduce_c(mine, other, 20, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say(" %d", other[19]);
  MPI_Bcast_c(mine, 20, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  say(" %d", mine[7]);
  MPI_Gather_c(mine, 2, MPI_INT, other, 2, MPI_INT, 0, MPI_COMM_WORLD);
  say(" %d", rank == 0 ? other[2 * ranks - 1] : 0);
  MPI_Scan_c(mine, other, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say(" %d", other[2]);
  for (int r = 0; r < ranks; ++r) counts[r] = 1 + (rank + r) % 3;
  MPI_Alltoallv_c(all, counts, places, MPI_INT, other, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) say(" %d", other[20 * r]);
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
