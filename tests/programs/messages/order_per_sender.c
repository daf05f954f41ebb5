// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A receiver that takes messages of any source and tag sees those of each sender in their order.
#include "program.h"

enum { EACH = 12 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  if (rank != 0) {
    for (int i = 0; i < EACH; ++i) MPI_Send(&i, 1, MPI_INT, 0, (i * 7 + rank) % 5, MPI_COMM_WORLD);
  } else {
    int* next = allocate((size_t)ranks * sizeof(int));
    int right = 0;
    for (int i = 0; i < (ranks - 1) * EACH; ++i) {
      int value;
      MPI_Status status;
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      right += value == next[status.MPI_SOURCE]++ && status.MPI_TAG == (value * 7 + status.MPI_SOURCE) % 5;
    }
    say("%d messages in order\n", right);
    free(next);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // the texts are messages too
  say_all();
  MPI_Finalize();
  return 0;
}
