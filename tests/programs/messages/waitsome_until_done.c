// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Waitsome hands over what is complete until nothing is active, with statuses in the order of its indices.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int* values = allocate((size_t)ranks * sizeof(int));
  MPI_Request* requests = allocate((size_t)ranks * sizeof(MPI_Request));
  int* indices = allocate((size_t)ranks * sizeof(int));
  MPI_Status* statuses = allocate((size_t)ranks * sizeof(MPI_Status));
  MPI_Request mine;
  const int value = 3 * rank + 2;
  if (rank == 0) {
    for (int r = 0; r < ranks; ++r) MPI_Irecv(&values[r], 1, MPI_INT, r, r + 5, MPI_COMM_WORLD, &requests[r]);
  }
  MPI_Isend(&value, 1, MPI_INT, 0, rank + 5, MPI_COMM_WORLD, &mine);
  if (rank == 0) {
    int done = 0, right = 0, count;
    for (;;) {
      MPI_Waitsome(ranks, requests, &count, indices, statuses);
      if (count == MPI_UNDEFINED) break;
      for (int i = 0; i < count; ++i) {
        right += statuses[i].MPI_SOURCE == indices[i] && statuses[i].MPI_TAG == indices[i] + 5;
        right += requests[indices[i]] == MPI_REQUEST_NULL;
      }
      done += count;
    }
    long long sum = 0;
    for (int r = 0; r < ranks; ++r) sum += (long long)values[r] * (r + 1);
    say("done %d, right %d, sum %lld\n", done, right, sum);
  }
  MPI_Wait(&mine, MPI_STATUS_IGNORE);
  free(values);
  free(requests);
  free(indices);
  free(statuses);
  say_all();
  MPI_Finalize();
  return 0;
}
