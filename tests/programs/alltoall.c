// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Alltoall: a transposition, with one element and with blocks longer than a packet.
#include "program.h"

static void exchange(int count) {
  const int rank = my_rank(), ranks = all_ranks();
  int* out = allocate((size_t)(count * ranks) * sizeof(int));
  int* in = allocate((size_t)(count * ranks) * sizeof(int));
  for (int r = 0; r < ranks; ++r) {
    for (int i = 0; i < count; ++i) out[r * count + i] = rank * 100000 + r * 1000 + i;
  }
  MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD);
  int wrong = 0;
  for (int r = 0; r < ranks; ++r) {
    for (int i = 0; i < count; ++i) wrong += in[r * count + i] != r * 100000 + rank * 1000 + i;
  }
  say("rank %d: %d each, wrong %d, checksum %08x\n", rank, count, wrong,
      (unsigned)checksum(in, (size_t)(count * ranks) * sizeof(int)));
  free(in);
  free(out);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  exchange(0);
  exchange(1);
  exchange(5);
  exchange(150);
  say_all();
  MPI_Finalize();
  return 0;
}
