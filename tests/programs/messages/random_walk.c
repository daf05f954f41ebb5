// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A token walks at random from rank to rank and grows with each step; a tag tells all when it has come to rest.
#include "program.h"

enum { STEPS = 60, WALK = 0, REST = 1 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int token[STEPS], length = 0, visits = 0;
  if (rank == 0) {
    token[0] = 12345;
    MPI_Request request;
    MPI_Isend(token, 1, MPI_INT, 0, WALK, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
  }
  for (;;) {
    int got[STEPS] = {0};
    MPI_Status status;
    MPI_Recv(got, STEPS, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == REST) break;
    ++visits;
    MPI_Get_count(&status, MPI_INT, &length);
    if (length == STEPS) {
      say("last: %d\n", got[STEPS - 1]);
      for (int r = 0; r < ranks; ++r) {
        if (r != rank) MPI_Send(NULL, 0, MPI_INT, r, REST, MPI_COMM_WORLD);
      }
      break;
    }
    got[length] = (got[length - 1] * 137 + rank * 11 + 7) % 65521;
    const int next = got[length] % ranks;
    if (next == rank) {
      memcpy(token, got, sizeof token);
      MPI_Request request;
      MPI_Isend(token, length + 1, MPI_INT, rank, WALK, MPI_COMM_WORLD, &request);
      MPI_Request_free(&request);
    } else {
      MPI_Send(got, length + 1, MPI_INT, next, WALK, MPI_COMM_WORLD);
    }
  }
  say("visits %d\n", visits);
  MPI_Barrier(MPI_COMM_WORLD);  // the texts are messages too
  say_all();
  MPI_Finalize();
  return 0;
}
