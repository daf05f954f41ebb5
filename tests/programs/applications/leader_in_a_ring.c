// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Ranks in a ring elect the one with the largest number by messages to one side alone, then all learn who it is.
#include "program.h"

enum { ELECT = 1, ELECTED = 2 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Comm here;
  MPI_Comm_dup(MPI_COMM_WORLD, &here);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  const int number = (rank * 7 + 3) % 19;  // all differ
  int message[2] = {number, rank}, leader = -1, passed = 0;
  MPI_Request request;
  MPI_Isend(message, 2, MPI_INT, right, ELECT, here, &request);
  while (leader < 0) {
    int got[2];
    MPI_Status status;
    MPI_Recv(got, 2, MPI_INT, left, MPI_ANY_TAG, here, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (status.MPI_TAG == ELECTED || got[0] == number) {
      leader = got[1];
      if (status.MPI_TAG == ELECTED && got[1] == right) continue;
      if (ranks > 1) MPI_Send(got, 2, MPI_INT, right, ELECTED, here);
    } else if (got[0] > number) {
      message[0] = got[0];
      message[1] = got[1];
      MPI_Isend(message, 2, MPI_INT, right, ELECT, here, &request);
      ++passed;
    }
  }
  say("leader %d, passed on %d\n", leader, passed);
  MPI_Comm_free(&here);
  say_all();
  MPI_Finalize();
  return 0;
}
