// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Gives the collective that the first argument names one buffer to send and to receive.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int data[64], counts[8], places[8], others[8];

int main(int argc, char** argv) {
  const char* const call = argc > 1 ? argv[1] : "";
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  for (int i = 0; i < 8; ++i) counts[i] = 1, places[i] = i, others[i] = 32 + i;
  for (int i = 0; i < 64; ++i) data[i] = 100 * rank + i;
  const struct {
    const char* name;
    int wanted;
  } calls[] = {{"MPI_Allreduce", 0}, {"MPI_Reduce", 1},  {"MPI_Scan", 2},     {"MPI_Allgather", 3},
               {"MPI_Gather", 4},    {"MPI_Scatter", 5}, {"MPI_Alltoall", 6}, {"MPI_Reduce_scatter_block", 7},
               {"MPI_Iallreduce", 8}};
  int wanted = -1;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
    if (strcmp(call, calls[i].name) == 0) wanted = calls[i].wanted;
  switch (wanted) {
    case 0:
      MPI_Allreduce(data, data, 4, MPI_INT, MPI_SUM, world);
      break;
    case 1:
      MPI_Reduce(data, data, 4, MPI_INT, MPI_SUM, 0, world);
      break;
    case 2:
      MPI_Scan(data, data, 4, MPI_INT, MPI_SUM, world);
      break;
    case 3:
      MPI_Allgather(data, 2, MPI_INT, data, 2, MPI_INT, world);
      break;
    case 4:
      MPI_Gather(data, 2, MPI_INT, data, 2, MPI_INT, 0, world);
      break;
    case 5:
      MPI_Scatter(data, 2, MPI_INT, data, 2, MPI_INT, 0, world);
      break;
    case 6:
      MPI_Alltoall(data, 2, MPI_INT, data, 2, MPI_INT, world);
      break;
    case 7:
      MPI_Reduce_scatter_block(data, data, 2, MPI_INT, MPI_SUM, world);
      break;
    case 8:
      MPI_Iallreduce(data, data, 4, MPI_INT, MPI_SUM, world, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    default:
      // Nothing is shared: no elements, other places of one array, what other ranks than the root name.
      MPI_Allreduce(data, data, 0, MPI_INT, MPI_SUM, world);
      MPI_Alltoallv(data, counts, places, MPI_INT, data, counts, others, MPI_INT, world);
      MPI_Reduce(data, rank == 0 ? data + 8 : data, 4, MPI_INT, MPI_SUM, 0, world);
      MPI_Bcast(data, 4, MPI_INT, 0, world);
      if (rank == 0) printf("%d %d\n", data[32 + ranks - 1], data[8]);
  }
  MPI_Finalize();
  return 0;
}
