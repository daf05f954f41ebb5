/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/**
 * @file program.c
 * What the image for a soft core runs: a message around the ranks, and the collectives of the engine.
 */
#include <mpi.h>
#include <stdio.h>

enum { ELEMENTS = 8, TAG = 7 };

int main(int argc, char** argv) {
  double mine[ELEMENTS], sums[ELEMENTS];
  int rank = 0;
  int ranks = 0;
  int token = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < ELEMENTS; ++i) mine[i] = rank + i;
  MPI_Bcast(mine, ELEMENTS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Allreduce(mine, sums, ELEMENTS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank != 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ++token;
  MPI_Send(&token, 1, MPI_INT, (rank + 1) % ranks, TAG, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&token, 1, MPI_INT, ranks - 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks, token %d, last sum %d\n", ranks, token, (int)sums[ELEMENTS - 1]);
  MPI_Finalize();
  return 0;
}
