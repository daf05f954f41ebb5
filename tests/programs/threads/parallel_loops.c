// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Threads of OpenMP exchange rows of a grid with the neighbours, each its own part, and add up what they have in
// common.
#include "threads.h"

enum { THREADS = 4, WIDTH = 64, STEPS = 8 };

int main(void) {
  init_for_threads();
  const int me = my_rank(), ranks = all_ranks();
  const int above = me == 0 ? MPI_PROC_NULL : me - 1, below = me == ranks - 1 ? MPI_PROC_NULL : me + 1;
  static double rows[4][WIDTH]; /* from above, the first, the last, from below */
  for (int i = 0; i < WIDTH; ++i) {
    rows[1][i] = me * 100 + i;
    rows[2][i] = me * 100 - i;
  }
  double total = 0;
  for (int step = 0; step < STEPS; ++step) {
#pragma omp parallel for num_threads(THREADS) schedule(static, 1)
    for (int part = 0; part < THREADS; ++part) {
      const int first = part * (WIDTH / THREADS), count = WIDTH / THREADS;
      MPI_Sendrecv(&rows[1][first], count, MPI_DOUBLE, above, part, &rows[3][first], count, MPI_DOUBLE, below, part,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Sendrecv(&rows[2][first], count, MPI_DOUBLE, below, part, &rows[0][first], count, MPI_DOUBLE, above, part,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = first; i < first + count; ++i) {
        rows[1][i] = (rows[0][i] + rows[1][i]) / 2;
        rows[2][i] = (rows[3][i] + rows[2][i]) / 2;
      }
    }
    double sum = 0, all = 0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : sum)
    for (int i = 0; i < WIDTH; ++i) sum += rows[1][i] - rows[2][i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    total += all;
  }
  say("rank %d: %.6f, %08x\n", me, total, (unsigned)checksum(rows[1], sizeof rows[1]));
  say_all();
  MPI_Finalize();
  return 0;
}
