// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Cancel of receives: one that nothing has matched is cancelled, one that has come is not; with wildcards too.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int in[4] = {0}, flag;
  MPI_Request requests[4];
  MPI_Status status;
  // Four receives of the same messages; the second and third are taken back.
  for (int i = 0; i < 4; ++i) {
    MPI_Irecv(&in[i], 1, MPI_INT, i == 2 ? MPI_ANY_SOURCE : left, 6, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 1; i < 3; ++i) {
    MPI_Cancel(&requests[i]);
    MPI_Wait(&requests[i], &status);
    MPI_Test_cancelled(&status, &flag);
    say("cancelled %d, handle %d\n", flag, requests[i] == MPI_REQUEST_NULL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const int out[2] = {rank * 2, rank * 2 + 1};
  for (int i = 0; i < 2; ++i) MPI_Send(&out[i], 1, MPI_INT, right, 6, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], &status);
  MPI_Test_cancelled(&status, &flag);
  MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
  say("in %d %d %d %d, cancelled %d\n", in[0], in[1], in[2], in[3], flag);
  // A receive that is complete stays so.
  MPI_Irecv(in, 1, MPI_INT, left, 8, MPI_COMM_WORLD, &requests[0]);
  MPI_Send(out, 1, MPI_INT, right, 8, MPI_COMM_WORLD);
  do {
    MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
  } while (!flag);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_Test_cancelled(&status, &flag);
  say("came %d, cancelled %d\n", in[0] == left * 2, flag);
  // A persistent one can be started again.
  MPI_Recv_init(in, 1, MPI_INT, left, 9, MPI_COMM_WORLD, &requests[0]);
  MPI_Start(&requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_Test_cancelled(&status, &flag);
  MPI_Barrier(MPI_COMM_WORLD);  // or the left neighbour's message might come before the receive is taken back
  MPI_Start(&requests[0]);
  MPI_Send(&out[1], 1, MPI_INT, right, 9, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], &status);
  say("cancelled %d, then from %d: %d\n", flag, status.MPI_SOURCE, in[0]);
  MPI_Request_free(&requests[0]);
  say_all();
  MPI_Finalize();
  return 0;
}
