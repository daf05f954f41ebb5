// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Allgather and MPI_Allgatherv.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const double mine[2] = {rank + 0.5, rank * rank};
  double all[2 * 64];
  MPI_Allgather(mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  say("rank %d: last %.1f %.1f, checksum %08x\n", rank, all[2 * ranks - 2], all[2 * ranks - 1],
      (unsigned)checksum(all, sizeof(double) * 2 * (size_t)ranks));

  int counts[64], offsets[64], total = 0;
  for (int r = 0; r < ranks; ++r) {
    counts[r] = (r + 2) % 4;
    offsets[r] = total + 1;  // a gap after each
    total += counts[r] + 1;
  }
  short part[3] = {0}, joined[64 * 4 + 1];
  for (int i = 0; i < counts[rank]; ++i) part[i] = (short)(rank * 8 + i);
  for (int i = 0; i <= total; ++i) joined[i] = -1;
  MPI_Allgatherv(part, counts[rank], MPI_SHORT, joined, counts, offsets, MPI_SHORT, MPI_COMM_WORLD);
  say("rank %d: %d numbers, checksum %08x\n", rank, total,
      (unsigned)checksum(joined, sizeof(short) * (size_t)(total + 1)));

  int* block = allocate(400 * sizeof(int));
  int* blocks = allocate(400 * sizeof(int) * (size_t)ranks);
  for (int i = 0; i < 400; ++i) block[i] = rank ^ (i << 4);
  MPI_Allgather(block, 400, MPI_INT, blocks, 400, MPI_INT, MPI_COMM_WORLD);
  say("rank %d: blocks %08x\n", rank, (unsigned)checksum(blocks, 400 * sizeof(int) * (size_t)ranks));
  free(blocks);
  free(block);
  say_all();
  MPI_Finalize();
  return 0;
}
