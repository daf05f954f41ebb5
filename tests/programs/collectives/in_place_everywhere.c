// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// All collectives that know MPI_IN_PLACE, with the buffers that it stands for.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int data[17 * 3], counts[17], places[17];
  for (int r = 0; r < ranks; ++r) counts[r] = r % 2 + 1, places[r] = 3 * r;
  for (int i = 0; i < 17 * 3; ++i) data[i] = rank * 100 + i;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 3, MPI_INT, MPI_COMM_WORLD);
  say("allgather %08x\n", (unsigned)checksum(data, (size_t)ranks * 12));
  for (int i = 0; i < 17 * 3; ++i) data[i] = rank * 100 + i;
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts, places, MPI_INT, MPI_COMM_WORLD);
  say("allgatherv %08x\n", (unsigned)checksum(data, (size_t)ranks * 12));
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, 3, MPI_INT, MPI_COMM_WORLD);
  say("alltoall %08x\n", (unsigned)checksum(data, (size_t)ranks * 12));
  for (int r = 0; r < ranks; ++r) counts[r] = (rank + r) % 3;
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, data, counts, places, MPI_INT, MPI_COMM_WORLD);
  say("alltoallv %08x\n", (unsigned)checksum(data, (size_t)ranks * 12));
  for (int i = 0; i < 17 * 3; ++i) data[i] = rank + i;
  MPI_Allreduce(MPI_IN_PLACE, data, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(MPI_IN_PLACE, data + 10, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Exscan(MPI_IN_PLACE, data + 20, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("reductions %d %d %d\n", data[9], data[13], rank == 0 ? 0 : data[23]);
  for (int i = 0; i < 17 * 3; ++i) data[i] = rank * i;
  MPI_Reduce_scatter_block(MPI_IN_PLACE, data, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("scattered %d %d %d\n", data[0], data[1], data[2]);
  for (int i = 0; i < 17 * 3; ++i) data[i] = rank + 2 * i;
  for (int r = 0; r < ranks; ++r) counts[r] = r % 3;
  MPI_Reduce_scatter(MPI_IN_PLACE, data, counts, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  say("scattered %d %d\n", rank % 3 > 0 ? data[0] : -1, rank % 3 > 1 ? data[1] : -1);
  say_all();
  MPI_Finalize();
  return 0;
}
