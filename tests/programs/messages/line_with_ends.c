// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Ranks in a line pass values on to both sides; beyond its ends there is MPI_PROC_NULL.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int up = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int value = rank + 1, from_below = -7, from_above = -7;
  for (int turn = 0; turn < 5; ++turn) {
    MPI_Status status;
    int count;
    MPI_Sendrecv(&value, 1, MPI_INT, up, 1, &from_below, 1, MPI_INT, down, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Sendrecv(&value, 1, MPI_INT, down, 2, &from_above, 1, MPI_INT, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    value = (2 * value + from_below + from_above) % 1000;
    say("%d: %d, %d elements, from nobody %d\n", turn, value, count, status.MPI_SOURCE == MPI_PROC_NULL);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
