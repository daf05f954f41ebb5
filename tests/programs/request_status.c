// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Request_get_status in all its forms: tells what is complete and leaves the requests as they are.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int in[3] = {0}, flag, index, n, indices[4];
  MPI_Request requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status, statuses[4];
  MPI_Request_get_status(requests[0], &flag, &status);
  say("null: %d %d\n", flag, status.MPI_SOURCE == MPI_ANY_SOURCE);
  MPI_Request_get_status_any(4, requests, &index, &flag, &status);
  MPI_Request_get_status_some(4, requests, &n, indices, statuses);
  say("all null: %d %d %d\n", flag, index == MPI_UNDEFINED, n == MPI_UNDEFINED);
  for (int i = 0; i < 3; ++i) MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
  MPI_Request_get_status_all(4, requests, &flag, statuses);
  say("none: %d\n", flag);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&rank, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
  do {
    MPI_Iprobe(left, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);  // messages move in MPICH's probe alone
    MPI_Request_get_status_any(4, requests, &index, &flag, &status);
  } while (!flag);
  say("one: index %d from %d tag %d, there still %d\n", index, status.MPI_SOURCE, status.MPI_TAG,
      requests[1] != MPI_REQUEST_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&rank, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
  do {
    MPI_Iprobe(left, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);  // messages move in MPICH's probe alone
    MPI_Request_get_status_some(4, requests, &n, indices, statuses);
  } while (n < 2);
  say("some: %d %d, tags %d %d\n", indices[0], indices[1], statuses[0].MPI_TAG, statuses[1].MPI_TAG);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&rank, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
  do {
    MPI_Iprobe(left, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);  // messages move in MPICH's probe alone
    MPI_Request_get_status_all(4, requests, &flag, statuses);
  } while (!flag);
  MPI_Waitsome(4, requests, &n, indices, statuses);
  say("all: %d, values %d\n", n, in[0] == left && in[1] == left && in[2] == left);
  MPI_Testsome(4, requests, &n, indices, statuses);
  say("none left %d\n", n == MPI_UNDEFINED);
  MPI_Testany(4, requests, &index, &flag, &status);
  say("any %d %d\n", index == MPI_UNDEFINED, flag);
  say_all();
  MPI_Finalize();
  return 0;
}
