// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A master hands out work as workers ask for it (any source); the sum does not depend on who did what.
#include "program.h"

enum { JOBS = 30, WORK = 1, STOP = 2 };

static long solve(int job) {
  long steps = 0;
  for (long n = job + 27; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1) ++steps;
  return steps;
}

static void master(int ranks) {
  long sum = 0;
  int next = 0, done = 0;
  if (ranks == 1) {
    for (; done < JOBS; ++done) sum += solve(done);
  }
  for (int stopped = 0; stopped < ranks - 1;) {
    long answer;
    MPI_Status status;
    MPI_Recv(&answer, 1, MPI_LONG, MPI_ANY_SOURCE, WORK, MPI_COMM_WORLD, &status);
    if (answer >= 0) {
      sum += answer;
      ++done;
    }
    if (next < JOBS) {
      MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
      ++next;
    } else {
      MPI_Send(&next, 0, MPI_INT, status.MPI_SOURCE, STOP, MPI_COMM_WORLD);
      ++stopped;
    }
  }
  say("%d jobs, sum %ld\n", done, sum);
}

static void worker(void) {
  long answer = -1;  // asks for the first job
  for (;;) {
    int job;
    MPI_Status status;
    MPI_Sendrecv(&answer, 1, MPI_LONG, 0, WORK, &job, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == STOP) return;
    answer = solve(job);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (my_rank() == 0) {
    master(all_ranks());
  } else {
    worker();
  }
  say_all();
  MPI_Finalize();
  return 0;
}
