// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A synchronous send is not complete before the receive has been posted.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int partner = rank % 2 == 0 ? rank + 1 : rank - 1;
  if (partner < ranks) {
    int data[3] = {rank, rank + 1, rank + 2}, go = 1, flag = -1;
    if (rank % 2 == 0) {
      MPI_Request request;
      MPI_Issend(data, 3, MPI_INT, partner, 1, MPI_COMM_WORLD, &request);
      for (int i = 0; i < 5; ++i) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        say("early %d\n", flag);
      }
      MPI_Send(&go, 1, MPI_INT, partner, 2, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Ssend(data, 2, MPI_INT, partner, 3, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&go, 1, MPI_INT, partner, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(data, 3, MPI_INT, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      say("got %d %d %d\n", data[0], data[1], data[2]);
      MPI_Recv(data, 3, MPI_INT, partner, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      say("got %d %d\n", data[0], data[1]);
    }
  }
  say_all();
  MPI_Finalize();
  return 0;
}
