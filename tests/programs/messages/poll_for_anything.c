// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A rank polls for messages of any source and tag until all have come.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int value = rank * rank + 1;
  MPI_Request request;
  MPI_Isend(&value, 1, MPI_INT, 0, 10 + rank % 3, MPI_COMM_WORLD, &request);
  if (rank == 0) {
    long long sum = 0;
    int by_tag[3] = {0};
    for (int seen = 0; seen < ranks;) {
      int flag;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
      if (!flag) continue;
      int got;
      MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += (long long)got * (status.MPI_SOURCE + 1);
      ++by_tag[status.MPI_TAG - 10];
      ++seen;
    }
    say("sum %lld, by tag %d %d %d\n", sum, by_tag[0], by_tag[1], by_tag[2]);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);  // the texts are messages too
  say_all();
  MPI_Finalize();
  return 0;
}
