// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// The world is halved until each rank is alone; each level sums on the way.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  MPI_Comm level;
  MPI_Comm_dup(MPI_COMM_WORLD, &level);
  int size, place;
  for (MPI_Comm_size(level, &size); size > 1; MPI_Comm_size(level, &size)) {
    int sum;
    MPI_Comm_rank(level, &place);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, level);
    say(" %d/%d:%d", place, size, sum);
    MPI_Comm half;
    MPI_Comm_split(level, place < size / 2, 0, &half);
    MPI_Comm_free(&level);
    level = half;
  }
  MPI_Comm_free(&level);
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
