// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Waitany takes each request once, in any order; without active requests it returns MPI_UNDEFINED.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int in[64], seen[64] = {0}, out[64];
  MPI_Request receives[64], sends[64];
  for (int r = 0; r < ranks; ++r) MPI_Irecv(&in[r], 1, MPI_INT, r, 4, MPI_COMM_WORLD, &receives[r]);
  for (int r = 0; r < ranks; ++r) {
    const int to = (rank + r) % ranks;
    out[to] = rank * 100 + to;
    MPI_Isend(&out[to], 1, MPI_INT, to, 4, MPI_COMM_WORLD, &sends[to]);
  }
  int wrong = 0;
  for (int i = 0; i < ranks; ++i) {
    int index = -1;
    MPI_Status status;
    MPI_Waitany(ranks, receives, &index, &status);
    seen[index] += 1;
    wrong += status.MPI_SOURCE != index || in[index] != index * 100 + rank || receives[index] != MPI_REQUEST_NULL;
  }
  for (int r = 0; r < ranks; ++r) wrong += seen[r] != 1;
  int index = -1;
  MPI_Waitany(ranks, receives, &index, MPI_STATUS_IGNORE);
  say("rank %d: wrong %d, nothing left %d\n", rank, wrong, index == MPI_UNDEFINED);
  MPI_Waitall(ranks, sends, MPI_STATUSES_IGNORE);
  // A null request: wait and test return at once with an empty status.
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Status status;
  int flag = 0, count = -1;
  MPI_Wait(&none, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  MPI_Test(&none, &flag, MPI_STATUS_IGNORE);
  say("rank %d: empty status %d %d count %d, flag %d\n", rank, status.MPI_SOURCE == MPI_ANY_SOURCE,
      status.MPI_TAG == MPI_ANY_TAG, count, flag);
  say_all();
  MPI_Finalize();
  return 0;
}
