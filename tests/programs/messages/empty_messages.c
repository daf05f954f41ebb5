// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Messages without elements are messages: they match, keep their order, and carry source and tag.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Request requests[5];
  for (int i = 0; i < 5; ++i) {
    MPI_Isend(NULL, 0, i % 2 ? MPI_DOUBLE : MPI_CHAR, right, i, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < 5; ++i) {
    MPI_Status status;
    int count = -1, value = 17;
    MPI_Recv(&value, i % 2, i % 2 ? MPI_DOUBLE : MPI_CHAR, left, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    say("source %d, tag %d, count %d, untouched %d\n", status.MPI_SOURCE == left, status.MPI_TAG, count, value == 17);
  }
  MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
  say_all();
  MPI_Finalize();
  return 0;
}
