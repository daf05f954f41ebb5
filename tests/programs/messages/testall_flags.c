// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Testall leaves all requests alone until all of them are complete.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int in[3] = {0}, flag;
  const int out[3] = {rank, rank * 2, rank * 3};
  MPI_Request requests[3];
  MPI_Status statuses[3];
  for (int i = 0; i < 3; ++i) MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
  // Nobody sends the last one before all have seen that it is not there.
  MPI_Send(&out[0], 1, MPI_INT, right, 0, MPI_COMM_WORLD);
  MPI_Send(&out[1], 1, MPI_INT, right, 1, MPI_COMM_WORLD);
  MPI_Testall(3, requests, &flag, statuses);
  say("all there %d, requests kept %d\n", flag, requests[0] != MPI_REQUEST_NULL && requests[2] != MPI_REQUEST_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&out[2], 1, MPI_INT, right, 2, MPI_COMM_WORLD);
  do {
    MPI_Testall(3, requests, &flag, statuses);
  } while (!flag);
  say("got %d %d %d, tags %d %d %d, null %d\n", in[0], in[1], in[2], statuses[0].MPI_TAG, statuses[1].MPI_TAG,
      statuses[2].MPI_TAG, requests[1] == MPI_REQUEST_NULL);
  say_all();
  MPI_Finalize();
  return 0;
}
