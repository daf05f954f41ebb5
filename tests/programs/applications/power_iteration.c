// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Powers of a matrix modulo a prime times a vector that is gathered anew in each step.
#include "program.h"

enum { PER = 4, STEPS = 15 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int n = PER * ranks;
  long mine[PER], whole[17 * PER];
  for (int i = 0; i < PER; ++i) mine[i] = rank * PER + i + 1;
  for (int turn = 0; turn < STEPS; ++turn) {
    MPI_Allgather(mine, PER, MPI_LONG, whole, PER, MPI_LONG, MPI_COMM_WORLD);
    long largest = 0, all;
    for (int i = 0; i < PER; ++i) {
      const int row = rank * PER + i;
      long sum = 0;
      for (int k = 0; k < n; ++k) sum += ((row + 2) * (k + 3) % 17) * whole[k];
      mine[i] = sum % 100003;
      if (mine[i] > largest) largest = mine[i];
    }
    MPI_Allreduce(&largest, &all, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) say("%d: %ld\n", turn, all);
  }
  for (int i = 0; i < PER; ++i) say(" %ld", mine[i]);
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
