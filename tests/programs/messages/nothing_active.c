// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Calls that complete requests return at once with empty statuses if no request is active.
#include "program.h"

static void empty(const char* name, const MPI_Status* status, int extra) {
  int count, cancelled;
  MPI_Get_count(status, MPI_INT, &count);
  MPI_Test_cancelled(status, &cancelled);
  say("%s: source %d, tag %d, count %d, cancelled %d, %d\n", name, status->MPI_SOURCE == MPI_ANY_SOURCE,
      status->MPI_TAG == MPI_ANY_TAG, count, cancelled, extra);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int value = rank, flag = 0, index = 7, count = 7, indices[3];
  MPI_Status status, statuses[3];
  MPI_Recv_init(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Wait(&requests[0], &status);
  empty("wait", &status, 0);
  MPI_Wait(&requests[1], &status);
  empty("wait, persistent", &status, requests[1] != MPI_REQUEST_NULL);
  MPI_Test(&requests[1], &flag, &status);
  empty("test", &status, flag);
  MPI_Waitany(3, requests, &index, &status);
  empty("waitany", &status, index == MPI_UNDEFINED);
  flag = 0;
  MPI_Testany(3, requests, &index, &flag, &status);
  empty("testany", &status, flag && index == MPI_UNDEFINED);
  MPI_Waitall(3, requests, statuses);
  empty("waitall", &statuses[1], 0);
  flag = 0;
  MPI_Testall(3, requests, &flag, statuses);
  empty("testall", &statuses[2], flag);
  MPI_Waitsome(3, requests, &count, indices, statuses);
  say("waitsome %d", count == MPI_UNDEFINED);
  MPI_Testsome(3, requests, &count, indices, statuses);
  say(", testsome %d\n", count == MPI_UNDEFINED);
  MPI_Request_free(&requests[1]);
  say("freed %d\n", requests[1] == MPI_REQUEST_NULL);
  say_all();
  MPI_Finalize();
  return 0;
}
