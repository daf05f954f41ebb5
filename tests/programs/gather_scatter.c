// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Gather and MPI_Scatter with every root, with several elements and with types that differ on the two sides.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  for (int root = 0; root < ranks; ++root) {
    const int mine[3] = {rank, root, rank * root};
    int all[3 * 64] = {0};
    MPI_Gather(mine, 3, MPI_INT, all, 3, MPI_INT, root, MPI_COMM_WORLD);
    if (rank == root)
      say("gather at %d: checksum %08x\n", root, (unsigned)checksum(all, sizeof(int) * 3 * (size_t)ranks));
    for (int i = 0; rank == root && i < 2 * ranks; ++i) all[i] = 1000 * root + i;
    int part[2] = {-1, -1};
    MPI_Scatter(all, 2, MPI_INT, part, 2, MPI_INT, root, MPI_COMM_WORLD);
    say("rank %d scatter from %d: %d %d\n", rank, root, part[0], part[1]);
  }
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  const int mine[4] = {rank, rank + 1, rank + 2, rank + 3};
  int all[4 * 64] = {0};
  MPI_Gather(mine, 4, MPI_INT, all, 2, pair, 0, MPI_COMM_WORLD);
  if (rank == 0) say("pairs: checksum %08x\n", (unsigned)checksum(all, sizeof(int) * 4 * (size_t)ranks));
  MPI_Type_free(&pair);
  // Longer than one packet each.
  int* long_mine = allocate(700 * sizeof(int));
  int* long_all = allocate(700 * sizeof(int) * (size_t)ranks);
  for (int i = 0; i < 700; ++i) long_mine[i] = rank * 700 + i;
  MPI_Gather(long_mine, 700, MPI_INT, long_all, 700, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  if (rank == ranks - 1) say("long: checksum %08x\n", (unsigned)checksum(long_all, sizeof(int) * 700 * (size_t)ranks));
  free(long_all);
  free(long_mine);
  say_all();
  MPI_Finalize();
  return 0;
}
