// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// Sums a vector of doubles over all ranks: sum WORDS TIMES.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int count = argc > 1 ? atoi(argv[1]) : 64;
  const int times = argc > 2 ? atoi(argv[2]) : 1;
  double* mine = malloc((size_t)count * sizeof *mine);
  double* sum = malloc((size_t)count * sizeof *sum);
  for (int i = 0; i < count; ++i) mine[i] = rank + i;
  for (int i = 0; i < times; ++i) MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%g\n", sum[count - 1]);
  free(mine);
  free(sum);
  MPI_Finalize();
  return 0;
}
