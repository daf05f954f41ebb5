// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Testsome polls receives from all ranks; it says "undefined" when none is active any more.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int values[32], indices[32], count, done = 0;
  MPI_Request requests[32], out[32];
  MPI_Status statuses[32];
  for (int r = 0; r < ranks; ++r) {
    values[r] = -1;
    MPI_Irecv(&values[r], 1, MPI_INT, r, 1, MPI_COMM_WORLD, &requests[r]);
  }
  int mine[32];
  for (int r = 0; r < ranks; ++r) {
    mine[r] = rank * 50 + r;
    MPI_Isend(&mine[r], 1, MPI_INT, r, 1, MPI_COMM_WORLD, &out[r]);
  }
  int right = 0;
  for (;;) {
    MPI_Testsome(ranks, requests, &count, indices, statuses);
    if (count == MPI_UNDEFINED) break;
    for (int i = 0; i < count; ++i) right += values[indices[i]] == statuses[i].MPI_SOURCE * 50 + rank;
    done += count;
  }
  MPI_Waitall(ranks, out, MPI_STATUSES_IGNORE);
  say("done %d, right %d\n", done, right);
  say_all();
  MPI_Finalize();
  return 0;
}
