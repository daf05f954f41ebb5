// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A master deals out ranges of random numbers to workers as they ask, and counts the points within a circle.
#include "program.h"

enum { TASKS = 30, POINTS = 200, ASK = 1, TASK = 2 };

static long points_within(int task) {
  uint64_t state = (uint64_t)task * 1000003 + 17;
  long within = 0;
  for (int i = 0; i < POINTS; ++i) {
    const long x = next_random(&state) % 10000, y = next_random(&state) % 10000;
    within += x * x + y * y < 100000000;
  }
  return within;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  long total = 0;
  if (ranks == 1) {
    for (int task = 0; task < TASKS; ++task) total += points_within(task);
  } else if (rank == 0) {
    int next = 0;
    for (int working = ranks - 1; working > 0;) {
      long within;
      MPI_Status status;
      MPI_Recv(&within, 1, MPI_LONG, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
      total += within;
      const int task = next < TASKS ? next++ : -1;
      MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, TASK, MPI_COMM_WORLD);
      working -= task < 0;
    }
  } else {
    long within = 0;
    for (;;) {
      int task;
      MPI_Sendrecv(&within, 1, MPI_LONG, 0, ASK, &task, 1, MPI_INT, 0, TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (task < 0) break;
      within = points_within(task);
    }
  }
  if (rank == 0) say("%ld of %d\n", total, TASKS * POINTS);
  say_all();
  MPI_Finalize();
  return 0;
}
