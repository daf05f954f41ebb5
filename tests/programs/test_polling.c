// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Programs that poll: MPI_Test, MPI_Testall and MPI_Iprobe in loops get there, and a test that fails leaves the
// request.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks(), to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  int in = -1, flag = -1, out = rank * 7;
  MPI_Request request, send;
  MPI_Irecv(&in, 1, MPI_INT, from, 1, MPI_COMM_WORLD, &request);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  say("rank %d: before anything is sent: flag %d, request kept %d\n", rank, flag, request != MPI_REQUEST_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Isend(&out, 1, MPI_INT, to, 1, MPI_COMM_WORLD, &send);
  MPI_Status status;
  for (flag = 0; !flag;) MPI_Test(&request, &flag, &status);
  say("rank %d: got %d from %d, request null %d\n", rank, in, status.MPI_SOURCE, request == MPI_REQUEST_NULL);
  MPI_Wait(&send, MPI_STATUS_IGNORE);

  enum { MANY = 5 };
  MPI_Request requests[2 * MANY];
  int ins[MANY], outs[MANY];
  for (int i = 0; i < MANY; ++i) MPI_Irecv(&ins[i], 1, MPI_INT, from, 10 + i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < MANY; ++i) {
    outs[i] = rank * 10 + i;
    MPI_Isend(&outs[i], 1, MPI_INT, to, 10 + i, MPI_COMM_WORLD, &requests[MANY + i]);
  }
  MPI_Status statuses[2 * MANY];
  for (flag = 0; !flag;) MPI_Testall(2 * MANY, requests, &flag, statuses);
  for (int i = 0; i < MANY; ++i) say("rank %d: %d with tag %d\n", rank, ins[i], statuses[i].MPI_TAG);

  MPI_Isend(&out, 1, MPI_INT, to, 77, MPI_COMM_WORLD, &send);
  for (flag = 0; !flag;) MPI_Iprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
  MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("rank %d: probed tag %d, got %d\n", rank, status.MPI_TAG, in);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  say_all();
  MPI_Finalize();
  return 0;
}
