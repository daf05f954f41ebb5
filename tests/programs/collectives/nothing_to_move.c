// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Collectives of zero elements change nothing and need no memory, in every form.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int counts[17] = {0}, places[17] = {0}, one = 5, two = 6;
  MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Reduce(NULL, NULL, 0, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Allreduce(NULL, NULL, 0, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  MPI_Scatter(NULL, 0, MPI_INT, NULL, 0, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  MPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD);
  MPI_Gatherv(&one, 0, MPI_INT, &two, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatterv(&one, counts, places, MPI_INT, &two, 0, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allgatherv(&one, 0, MPI_INT, &two, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(&one, counts, places, MPI_INT, &two, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Scan(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Exscan(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter(&one, &two, counts, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  say("rank %d: %d %d\n", rank, one, two);
  say_all();
  MPI_Finalize();
  return 0;
}
