// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Rank 0 sends two integers and five to rank 1, which has room for a thousand each time.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, few[1000] = {0}, more[1000] = {0};
  MPI_Request requests[2];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Send(few, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Send(more, 5, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Send(more, 5, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Irecv(few, 1000, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Irecv(few, 1000, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(more, 1000, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[1]);
  }
  // A send and a receive as one request: 12 bytes go to each, who has room for more.
  MPI_Isendrecv(few, 3, MPI_INT, 1 - rank, 2, more, 1000, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Waitany(1, requests, &(int){0}, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
