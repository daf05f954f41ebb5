// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Persistent forms of gathers, scatters and exchanges are started several times, and see new data each time.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int mine[3], gathered[17 * 3], all[17 * 3], source[17 * 3], got[3], exchanged[17 * 3];
  MPI_Request requests[4];
  MPI_Gather_init(mine, 3, MPI_INT, gathered, 3, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Allgather_init(mine, 3, MPI_INT, all, 3, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Scatter_init(source, 3, MPI_INT, got, 3, MPI_INT, ranks - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  MPI_Alltoall_init(source, 3, MPI_INT, exchanged, 3, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 3; ++i) mine[i] = turn * 100 + rank * 3 + i;
    for (int i = 0; i < 3 * ranks; ++i) source[i] = turn * 1000 + rank * 60 + i;
    MPI_Startall(4, requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    say("%d: %08x %08x %d %08x\n", turn, rank == 0 ? (unsigned)checksum(gathered, (size_t)ranks * 12) : 0,
        (unsigned)checksum(all, (size_t)ranks * 12), got[2], (unsigned)checksum(exchanged, (size_t)ranks * 12));
  }
  for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
  say_all();
  MPI_Finalize();
  return 0;
}
