// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Scan: inclusive prefixes.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  const int in[3] = {rank + 1, -rank, 1};
  int sum[3] = {0}, high[3] = {0};
  MPI_Scan(in, sum, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(in, high, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  say("rank %d: sums %d %d %d, maxima %d %d %d\n", rank, sum[0], sum[1], sum[2], high[0], high[1], high[2]);
  double numbers[100], prefix[100];
  for (int i = 0; i < 100; ++i) numbers[i] = rank * 100 + i;
  MPI_Scan(numbers, prefix, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  say("rank %d: %.0f %.0f\n", rank, prefix[0], prefix[99]);
  say_all();
  MPI_Finalize();
  return 0;
}
