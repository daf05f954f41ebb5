// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Heat on a rod in integers: halo exchange with MPI_Sendrecv, the largest change by MPI_Allreduce.
#include "program.h"

enum { CELLS = 6, STEPS = 12 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int left = rank == 0 ? MPI_PROC_NULL : rank - 1, right = rank == ranks - 1 ? MPI_PROC_NULL : rank + 1;
  int now[CELLS + 2] = {0}, next[CELLS + 2] = {0};
  if (rank == 0) now[0] = next[0] = 10000;
  for (int step = 0; step < STEPS; ++step) {
    MPI_Sendrecv(&now[CELLS], 1, MPI_INT, right, 0, &now[0], 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&now[1], 1, MPI_INT, left, 1, &now[CELLS + 1], 1, MPI_INT, right, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    int change = 0, largest;
    for (int i = 1; i <= CELLS; ++i) {
      next[i] = (now[i - 1] + 2 * now[i] + now[i + 1]) / 4;
      change = abs(next[i] - now[i]) > change ? abs(next[i] - now[i]) : change;
    }
    memcpy(&now[1], &next[1], CELLS * sizeof(int));
    MPI_Allreduce(&change, &largest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) say("step %d: largest change %d\n", step, largest);
  }
  for (int i = 1; i <= CELLS; ++i) say("%d%s", now[i], i == CELLS ? "\n" : " ");
  say_all();
  MPI_Finalize();
  return 0;
}
