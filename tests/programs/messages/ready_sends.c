// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Ready sends to receives that are known to be posted, blocking and not.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int in[4] = {0};
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  const int out[4] = {rank, rank + 10, rank + 20, rank + 30};
  MPI_Request receives[2], send;
  MPI_Irecv(&in[0], 2, MPI_INT, left, 1, MPI_COMM_WORLD, &receives[0]);
  MPI_Irecv(&in[2], 2, MPI_INT, left, 2, MPI_COMM_WORLD, &receives[1]);
  // Each tells its left neighbour that the receives are there.
  MPI_Sendrecv(NULL, 0, MPI_INT, left, 3, NULL, 0, MPI_INT, right, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irsend(&out[2], 2, MPI_INT, right, 2, MPI_COMM_WORLD, &send);
  MPI_Rsend(&out[0], 2, MPI_INT, right, 1, MPI_COMM_WORLD);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Waitall(2, receives, MPI_STATUSES_IGNORE);
  say("%d %d %d %d\n", in[0] - left, in[1] - left, in[2] - left, in[3] - left);
  say_all();
  MPI_Finalize();
  return 0;
}
