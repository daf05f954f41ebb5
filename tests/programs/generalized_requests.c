// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Generalized requests: complete when the program says so; queries, frees and cancels are calls of the program.
#include "program.h"

static int queries, frees, cancels;

static int query(void* state, MPI_Status* status) {
  ++queries;
  status->MPI_SOURCE = *(int*)state;
  status->MPI_TAG = 12;
  MPI_Status_set_cancelled(status, cancels > 0);
  return MPI_SUCCESS;
}
static int release(void* state) {
  ++frees;
  *(int*)state = -1;
  return MPI_SUCCESS;
}
static int cancel(void* state, int complete) {
  ++cancels;
  *(int*)state += complete ? 100 : 10;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  int state = rank, other = 0, flag = 1;
  MPI_Request request, pair[2];
  MPI_Status status;
  MPI_Grequest_start(query, release, cancel, &state, &request);
  MPI_Test(&request, &flag, &status);
  say("before: %d, queries %d\n", flag, queries);
  MPI_Cancel(&request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  say("cancelled %d, ", flag);
  say("source %d tag %d, handle %d\n", status.MPI_SOURCE == rank + 10, status.MPI_TAG, request == MPI_REQUEST_NULL);
  say("queries %d frees %d cancels %d state %d\n", queries, frees, cancels, state);
  // Together with a message to oneself.
  int in = 0;
  MPI_Grequest_start(query, release, cancel, &other, &pair[0]);
  MPI_Irecv(&in, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &pair[1]);
  MPI_Send(&rank, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Grequest_complete(pair[0]);
  MPI_Status both[2];
  MPI_Waitall(2, pair, both);
  say("both: %d %d %d\n", both[0].MPI_TAG, both[1].MPI_TAG, in == rank);
  say("queries %d frees %d\n", queries, frees);
  say_all();
  MPI_Finalize();
  return 0;
}
