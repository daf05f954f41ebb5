// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Nobody leaves a barrier before the last has come.
#include <time.h>

#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  for (int late = 0; late < ranks; late += 5) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == late) {
      const struct timespec pause = {.tv_nsec = 2000000};
      nanosleep(&pause, NULL);
    }
    const double came = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    const double left = MPI_Wtime();
    double last_came = 0, first_left = 0;
    MPI_Allreduce(&came, &last_came, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&left, &first_left, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    say("rank %d: barrier with rank %d late holds %d\n", rank, late, first_left >= last_came);
  }
  for (int i = 0; i < 20; ++i) MPI_Barrier(MPI_COMM_WORLD);
  say_all();
  MPI_Finalize();
  return 0;
}
