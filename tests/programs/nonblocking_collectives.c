// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Nonblocking collectives of all kinds, all under way at once with messages and a blocking one between, from every
// root.
#include "every_collective.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  set_counts(ranks);
  MPI_Request requests[CALLS];
  for (int round = 0; round < 3; ++round) {
    const int root = (round * 5) % ranks;
    clear(rank, round, root);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    MPI_Ibcast(bcast, 700, MPI_INT, root, MPI_COMM_WORLD, &requests[1]);
    MPI_Ireduce(mine, reduced, 300, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &requests[2]);
    MPI_Iallreduce(mine, all, 300, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &requests[3]);
    MPI_Iscan(mine, scanned, 20, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[4]);
    int token = rank, sum = 0;
    MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Allreduce(&token, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    say("token %d sum %d\n", token, sum);
    MPI_Iexscan(mine, exscanned, 20, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[5]);
    MPI_Igather(mine, 5, MPI_INT, gathered, 5, MPI_INT, root, MPI_COMM_WORLD, &requests[6]);
    MPI_Igatherv(mine, counts[rank], MPI_INT, gatheredv, counts, places, MPI_INT, root, MPI_COMM_WORLD, &requests[7]);
    MPI_Iscatter(wide, 4, MPI_INT, scattered, 4, MPI_INT, root, MPI_COMM_WORLD, &requests[8]);
    MPI_Iscatterv(wide, counts, places, MPI_INT, scatteredv, counts[rank], MPI_INT, root, MPI_COMM_WORLD, &requests[9]);
    MPI_Iallgather(mine, 6, MPI_INT, allgathered, 6, MPI_INT, MPI_COMM_WORLD, &requests[10]);
    MPI_Iallgatherv(mine, counts[rank], MPI_INT, allgatheredv, counts, places, MPI_INT, MPI_COMM_WORLD, &requests[11]);
    MPI_Ialltoall(wide, 3, MPI_INT, exchanged, 3, MPI_INT, MPI_COMM_WORLD, &requests[12]);
    MPI_Ialltoallv(wide, equal, places, MPI_INT, exchangedv, equal, places, MPI_INT, MPI_COMM_WORLD, &requests[13]);
    MPI_Ialltoallw(wide, equal, offsets, types, exchangedw, equal, offsets, types, MPI_COMM_WORLD, &requests[14]);
    MPI_Ireduce_scatter(wide, parts, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[15]);
    MPI_Ireduce_scatter_block(wide, blocks, 3, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &requests[16]);
    if (round == 0) {
      MPI_Waitall(CALLS, requests, MPI_STATUSES_IGNORE);
    } else if (round == 1) {
      for (int left = CALLS; left > 0; --left) {
        int index;
        MPI_Waitany(CALLS, requests, &index, MPI_STATUS_IGNORE);
      }
    } else {
      int flag = 0;
      while (!flag) MPI_Testall(CALLS, requests, &flag, MPI_STATUSES_IGNORE);
    }
    say_results(round);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
