// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Prefix sums of a long array: each rank sums its part, a scan gives what comes before it.
#include "program.h"

enum { N = 100 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  long long values[N], sum = 0, before = 0;
  uint64_t state = (uint64_t)rank + 4;
  for (int i = 0; i < N; ++i) values[i] = next_random(&state) % 1000, sum += values[i];
  MPI_Exscan(&sum, &before, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) before = 0;
  for (int i = 0; i < N; ++i) before = values[i] += before;
  long long total = values[N - 1];
  MPI_Bcast(&total, 1, MPI_LONG_LONG, ranks - 1, MPI_COMM_WORLD);
  say("%lld %lld of %lld\n", values[0], values[N - 1], total);
  say_all();
  MPI_Finalize();
  return 0;
}
