// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Each rank adds what it has to all ranks above it: prefix sums by accumulation, of integers and of a derived type.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  long memory[4] = {0, 0, 0, 0};
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Datatype pair;
  MPI_Type_vector(2, 1, 2, MPI_LONG, &pair);
  MPI_Type_commit(&pair);
  const long given[4] = {rank + 1, -1, 7 * rank, -2}, one = 1;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  for (int above = rank + 1; above < ranks; ++above) {
    MPI_Accumulate(given, 1, pair, above, 0, 1, pair, MPI_SUM, win);
    MPI_Accumulate(&one, 1, MPI_LONG, above, 3, 1, MPI_LONG, MPI_SUM, win);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  say("%ld %ld %ld %ld\n", memory[0], memory[1], memory[2], memory[3]);
  MPI_Type_free(&pair);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
