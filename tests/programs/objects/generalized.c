// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Generalized requests of the program are waited for together with messages and tell their own statuses.
#include "program.h"

struct work {
  int number, freed;
};

static int query(void* extra, MPI_Status* status) {
  const struct work* work = extra;
  MPI_Status_set_elements(status, MPI_INT, work->number);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = work->number % 2;
  status->MPI_TAG = work->number + 100;
  return MPI_SUCCESS;
}
static int release(void* extra) {
  ++((struct work*)extra)->freed;
  return MPI_SUCCESS;
}
static int cancel(void* extra, int complete) {
  (void)extra, (void)complete;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  struct work works[3] = {{3, 0}, {4, 0}, {rank + 5, 0}};
  MPI_Request requests[4];
  for (int i = 0; i < 3; ++i) MPI_Grequest_start(query, release, cancel, &works[i], &requests[i]);
  int got, flag;
  MPI_Irecv(&got, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  say("before %d\n", flag);
  for (int i = 2; i >= 0; --i) MPI_Grequest_complete(requests[i]);
  MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
  MPI_Status statuses[4];
  MPI_Waitall(4, requests, statuses);
  for (int i = 0; i < 4; ++i) {
    int count;
    MPI_Get_count(&statuses[i], MPI_INT, &count);
    say(" %d/%d/%d", i == 3 ? statuses[i].MPI_SOURCE == rank : statuses[i].MPI_SOURCE, statuses[i].MPI_TAG, count);
  }
  // What is given up before it is complete keeps its state until then.
  struct work given_up = {1, 0};
  MPI_Request request, kept;
  MPI_Grequest_start(query, release, cancel, &given_up, &request);
  kept = request;
  MPI_Request_free(&request);
  say(", given up %d %d", request == MPI_REQUEST_NULL, given_up.freed);
  MPI_Grequest_complete(kept);
  say(" %d", given_up.freed);
  MPI_Grequest_start(query, release, cancel, &given_up, &request);
  MPI_Grequest_complete(request);
  MPI_Request_free(&request);
  say(" %d", given_up.freed);
  say(", freed %d %d %d, got %d of %d\n", works[0].freed, works[1].freed, works[2].freed, got, ranks);
  say_all();
  MPI_Finalize();
  return 0;
}
