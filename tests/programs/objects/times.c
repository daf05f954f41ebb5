// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Clocks: time does not go back, sleeping and waiting pass it, and its unit is positive.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  double last = MPI_Wtime();
  int back = 0;
  for (int i = 0; i < 200; ++i) {
    const double now = MPI_Wtime();
    back += now < last;
    last = now;
  }
  const double tick = MPI_Wtick();
  const double start = MPI_Wtime();
  for (int i = 0; i < 5; ++i) MPI_Barrier(MPI_COMM_WORLD);
  const double passed = MPI_Wtime() - start;
  say("rank %d: back %d, tick %d, passed %d\n", rank, back, tick > 0 && tick < 1, passed >= 0 && passed < 100);
  say_all();
  MPI_Finalize();
  return 0;
}
