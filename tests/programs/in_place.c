// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_IN_PLACE in every collective that takes it.
#include "program.h"

static void tell(const char* what, const int* values, int count) {
  say("rank %d %s:", my_rank(), what);
  for (int i = 0; i < count; ++i) say(" %d", values[i]);
  say("\n");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks(), root = ranks / 2;
  int values[64], copy[64];

  values[0] = rank + 1;
  values[1] = -rank;
  MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  tell("allreduce", values, 2);

  values[0] = rank + 1;
  values[1] = -rank;
  MPI_Reduce(rank == root ? MPI_IN_PLACE : values, rank == root ? values : NULL, 2, MPI_INT, MPI_MIN, root,
             MPI_COMM_WORLD);
  if (rank == root) tell("reduce", values, 2);

  for (int i = 0; i < ranks; ++i) values[i] = i == rank ? 10 * rank : -1;
  MPI_Gather(rank == root ? MPI_IN_PLACE : &values[rank], 1, MPI_INT, values, 1, MPI_INT, root, MPI_COMM_WORLD);
  if (rank == root) tell("gather", values, ranks);

  for (int i = 0; i < ranks; ++i) values[i] = rank == root ? 100 + i : -1;
  MPI_Scatter(values, 1, MPI_INT, rank == root ? MPI_IN_PLACE : copy, 1, MPI_INT, root, MPI_COMM_WORLD);
  tell("scatter", rank == root ? &values[root] : copy, 1);

  for (int i = 0; i < ranks; ++i) values[i] = i == rank ? 7 * rank : -1;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, 1, MPI_INT, MPI_COMM_WORLD);
  tell("allgather", values, ranks);

  for (int i = 0; i < ranks; ++i) values[i] = 100 * rank + i;
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, 1, MPI_INT, MPI_COMM_WORLD);
  tell("alltoall", values, ranks);

  values[0] = rank + 1;
  MPI_Scan(MPI_IN_PLACE, values, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  tell("scan", values, 1);

  int counts[64], offsets[64];
  for (int i = 0, at = 0; i < ranks; ++i) {
    counts[i] = i % 3;
    offsets[i] = at;
    at += counts[i];
  }
  const int total = offsets[ranks - 1] + counts[ranks - 1];
  for (int i = 0; i < total; ++i) values[i] = -1;
  for (int i = 0; i < counts[rank]; ++i) values[offsets[rank] + i] = 10 * rank + i;
  memcpy(copy, values, sizeof copy);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values, counts, offsets, MPI_INT, MPI_COMM_WORLD);
  tell("allgatherv", values, total);
  MPI_Gatherv(rank == root ? MPI_IN_PLACE : copy + offsets[rank], counts[rank], MPI_INT, copy, counts, offsets, MPI_INT,
              root, MPI_COMM_WORLD);
  if (rank == root) tell("gatherv", copy, total);
  MPI_Scatterv(copy, counts, offsets, MPI_INT, rank == root ? MPI_IN_PLACE : values, counts[rank], MPI_INT, root,
               MPI_COMM_WORLD);
  tell("scatterv", rank == root ? copy + offsets[rank] : values, counts[rank]);

  // In place, what goes to a rank is as long as what comes from it.
  int symmetric[64];
  for (int i = 0; i < ranks; ++i) {
    counts[i] = (rank + i) % 2;
    offsets[i] = i;
    symmetric[i] = counts[i] ? 100 * rank + i : -1;
  }
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, symmetric, counts, offsets, MPI_INT, MPI_COMM_WORLD);
  tell("alltoallv", symmetric, ranks);
  say_all();
  MPI_Finalize();
  return 0;
}
