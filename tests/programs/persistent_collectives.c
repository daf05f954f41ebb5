// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Persistent collectives of all kinds: started together and again and again, completed in any order.
#include "every_collective.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  set_counts(ranks);
  MPI_Request requests[CALLS];
  const int root = ranks / 2;
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Bcast_init(bcast, 700, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Reduce_init(mine, reduced, 300, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  MPI_Allreduce_init(mine, all, 300, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
  MPI_Scan_init(mine, scanned, 20, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[4]);
  MPI_Exscan_init(mine, exscanned, 20, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[5]);
  MPI_Gather_init(mine, 5, MPI_INT, gathered, 5, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[6]);
  MPI_Gatherv_init(mine, counts[rank], MPI_INT, gatheredv, counts, places, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &requests[7]);
  MPI_Scatter_init(wide, 4, MPI_INT, scattered, 4, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[8]);
  MPI_Scatterv_init(wide, counts, places, MPI_INT, scatteredv, counts[rank], MPI_INT, root, MPI_COMM_WORLD,
                    MPI_INFO_NULL, &requests[9]);
  MPI_Allgather_init(mine, 6, MPI_INT, allgathered, 6, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[10]);
  MPI_Allgatherv_init(mine, counts[rank], MPI_INT, allgatheredv, counts, places, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &requests[11]);
  MPI_Alltoall_init(wide, 3, MPI_INT, exchanged, 3, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[12]);
  MPI_Alltoallv_init(wide, equal, places, MPI_INT, exchangedv, equal, places, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &requests[13]);
  MPI_Alltoallw_init(wide, equal, offsets, types, exchangedw, equal, offsets, types, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &requests[14]);
  MPI_Reduce_scatter_init(wide, parts, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[15]);
  MPI_Reduce_scatter_block_init(wide, blocks, 3, MPI_INT, MPI_MIN, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[16]);
  for (int round = 0; round < 3; ++round) {
    clear(rank, round, root);
    if (round == 1) {
      for (int i = CALLS - 1; i >= 0; --i) MPI_Start(&requests[i]);
    } else {
      MPI_Startall(CALLS, requests);
    }
    if (round == 2) {
      for (int i = CALLS - 1; i >= 0; --i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    } else {
      MPI_Waitall(CALLS, requests, MPI_STATUSES_IGNORE);
    }
    say_results(round);
  }
  for (int i = 0; i < CALLS; ++i) MPI_Request_free(&requests[i]);
  say_all();
  MPI_Finalize();
  return 0;
}
