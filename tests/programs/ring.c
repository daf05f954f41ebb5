// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A token travels round the ring three times and each rank adds to it.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  long token = 0;
  for (int round = 0; round < 3; ++round) {
    if (ranks == 1) {
      token = token * 3 + 1;
    } else if (rank == 0) {
      token = token * 3 + 1;
      MPI_Send(&token, 1, MPI_LONG, next, round, MPI_COMM_WORLD);
      MPI_Recv(&token, 1, MPI_LONG, previous, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&token, 1, MPI_LONG, previous, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      token += rank;
      MPI_Send(&token, 1, MPI_LONG, next, round, MPI_COMM_WORLD);
    }
    say("round %d rank %d token %ld\n", round, rank, token);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
