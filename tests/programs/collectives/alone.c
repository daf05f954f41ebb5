// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Every collective on a communicator of one rank is a copy, with and without MPI_IN_PLACE.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  int a[4] = {rank, rank + 1, rank + 2, rank + 3}, b[4], counts[1] = {4}, places[1] = {0};
  const MPI_Comm self = MPI_COMM_SELF;
#define COPIED(call)                        \
  do {                                      \
    memset(b, 0, sizeof b);                 \
    call;                                   \
    say("%d", memcmp(a, b, sizeof a) == 0); \
  } while (0)
  COPIED(MPI_Reduce(a, b, 4, MPI_INT, MPI_PROD, 0, self));
  COPIED(MPI_Allreduce(a, b, 4, MPI_INT, MPI_BXOR, self));
  COPIED(MPI_Gather(a, 4, MPI_INT, b, 4, MPI_INT, 0, self));
  COPIED(MPI_Gatherv(a, 4, MPI_INT, b, counts, places, MPI_INT, 0, self));
  COPIED(MPI_Scatter(a, 4, MPI_INT, b, 4, MPI_INT, 0, self));
  COPIED(MPI_Scatterv(a, counts, places, MPI_INT, b, 4, MPI_INT, 0, self));
  COPIED(MPI_Allgather(a, 4, MPI_INT, b, 4, MPI_INT, self));
  COPIED(MPI_Allgatherv(a, 4, MPI_INT, b, counts, places, MPI_INT, self));
  COPIED(MPI_Alltoall(a, 4, MPI_INT, b, 4, MPI_INT, self));
  COPIED(MPI_Alltoallv(a, counts, places, MPI_INT, b, counts, places, MPI_INT, self));
  COPIED(MPI_Scan(a, b, 4, MPI_INT, MPI_MIN, self));
  COPIED(MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, self));
  COPIED(MPI_Reduce_scatter_block(a, b, 4, MPI_INT, MPI_SUM, self));
  memcpy(b, a, sizeof b);
  MPI_Exscan(MPI_IN_PLACE, b, 4, MPI_INT, MPI_SUM, self);
  MPI_Reduce(MPI_IN_PLACE, b, 4, MPI_INT, MPI_SUM, 0, self);
  MPI_Gather(MPI_IN_PLACE, 4, MPI_INT, b, 4, MPI_INT, 0, self);
  MPI_Bcast(b, 4, MPI_INT, 0, self);
  MPI_Barrier(self);
  say(" %d\n", memcmp(a, b, sizeof a) == 0);
  say_all();
  MPI_Finalize();
  return 0;
}
