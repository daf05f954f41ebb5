// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A line of cells whose ends are exchanged by PUTs under locks, in turns with barriers.
#include "program.h"

enum { CELLS = 12, STEPS = 8 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  double* cells;
  MPI_Win win;
  MPI_Win_allocate((CELLS + 2) * (MPI_Aint)sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  for (int i = 0; i < CELLS + 2; ++i) cells[i] = rank * 16 + i;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  for (int step = 0; step < STEPS; ++step) {
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    const double ends[2] = {cells[1], cells[CELLS]};
    MPI_Win_unlock(rank, win);
    MPI_Win_lock(MPI_LOCK_SHARED, left, 0, win);
    MPI_Put(&ends[0], 1, MPI_DOUBLE, left, CELLS + 1, 1, MPI_DOUBLE, win);
    MPI_Win_unlock(left, win);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Put(&ends[1], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
    MPI_Win_unlock(right, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    double before = cells[0];
    for (int i = 1; i <= CELLS; ++i) {
      const double here = cells[i];
      cells[i] = 0.25 * before + 0.5 * here + 0.25 * cells[i + 1];
      before = here;
    }
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  say("%.6f %.6f %.6f\n", cells[1], cells[CELLS / 2], cells[CELLS]);
  MPI_Win_unlock(rank, win);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
