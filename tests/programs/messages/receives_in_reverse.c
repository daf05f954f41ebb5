// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Requests are waited for in the opposite order of their start; what came unexpectedly is kept.
#include "program.h"

enum { COUNT = 20 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int out[COUNT], in[COUNT];
  MPI_Request sends[COUNT], receives[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    out[i] = rank * COUNT + i;
    MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &sends[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = COUNT - 1; i >= 0; --i) MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &receives[i]);
  for (int i = COUNT - 1; i >= 0; --i) {
    MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
    MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
    say(" %d", in[i]);
  }
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
