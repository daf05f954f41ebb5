// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Collectives longer than every buffer on their way: 40 KB each.
#include "program.h"

enum { INTEGERS = 10000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks(), root = ranks / 3;
  const size_t bytes = INTEGERS * sizeof(int);
  int* in = allocate(bytes);
  int* out = allocate(bytes);
  for (int i = 0; i < INTEGERS; ++i) in[i] = rank == root ? i * 7 : -1;
  MPI_Bcast(in, INTEGERS, MPI_INT, root, MPI_COMM_WORLD);
  say("rank %d: broadcast %08x\n", rank, (unsigned)checksum(in, bytes));
  for (int i = 0; i < INTEGERS; ++i) in[i] = i % 100 * (rank + 1);
  MPI_Reduce(in, out, INTEGERS, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  if (rank == root) say("rank %d: reduced %08x\n", rank, (unsigned)checksum(out, bytes));
  MPI_Allreduce(in, out, INTEGERS, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
  say("rank %d: all-reduced %08x\n", rank, (unsigned)checksum(out, bytes));
  const int share = INTEGERS / ranks;
  MPI_Allgather(in, share, MPI_INT, out, share, MPI_INT, MPI_COMM_WORLD);
  say("rank %d: gathered %08x\n", rank, (unsigned)checksum(out, sizeof(int) * (size_t)(share * ranks)));
  free(out);
  free(in);
  say_all();
  MPI_Finalize();
  return 0;
}
