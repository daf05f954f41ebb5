// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Communicators are made and freed many times; freed ones still finish what is under way.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  long sum = 0;
  for (int turn = 0; turn < 25; ++turn) {
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    int value = rank * turn, got = -1;
    MPI_Request requests[2];
    MPI_Irecv(&got, 1, MPI_INT, left, turn, copy, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, right, turn, copy, &requests[1]);
    MPI_Comm_free(&copy);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    sum += got;
  }
  say("%ld\n", sum);
  say_all();
  MPI_Finalize();
  return 0;
}
