// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Messages of equal source and tag on different communicators never meet.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  enum { COPIES = 4 };
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Comm copies[COPIES];
  MPI_Request sends[COPIES], receives[COPIES];
  int in[COPIES], out[COPIES];
  for (int i = 0; i < COPIES; ++i) MPI_Comm_dup(i == 0 ? MPI_COMM_WORLD : copies[i - 1], &copies[i]);
  for (int i = 0; i < COPIES; ++i) MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copies[i], &receives[i]);
  for (int i = COPIES - 1; i >= 0; --i) {
    out[i] = 10 * rank + i;
    MPI_Isend(&out[i], 1, MPI_INT, right, 1, copies[i], &sends[i]);
  }
  MPI_Waitall(COPIES, receives, MPI_STATUSES_IGNORE);
  MPI_Waitall(COPIES, sends, MPI_STATUSES_IGNORE);
  for (int i = 0; i < COPIES; ++i) {
    say("%d: %d\n", i, in[i] - 10 * left);
    MPI_Comm_free(&copies[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // the texts are messages too
  say_all();
  MPI_Finalize();
  return 0;
}
