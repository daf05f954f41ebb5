// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Forces between all pairs of bodies, whose copies go round the ring of ranks once.
#include "program.h"

enum { N = 6 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  long places[N], travelling[N], forces[N] = {0};
  for (int i = 0; i < N; ++i) travelling[i] = places[i] = (rank * N + i) * 37 % 1009;
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  for (int turn = 0; turn < ranks; ++turn) {
    for (int i = 0; i < N; ++i) {
      for (int k = 0; k < N; ++k) {
        const long distance = travelling[k] - places[i];
        if (distance != 0) forces[i] += 1000000 / (distance * distance) * (distance > 0 ? 1 : -1);
      }
    }
    MPI_Sendrecv_replace(travelling, N, MPI_LONG, right, turn, left, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  long sum = 0, total;
  for (int i = 0; i < N; ++i) {
    say(" %ld", forces[i]);
    sum += forces[i];
  }
  MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  say(", all %ld, home %d\n", total, memcmp(travelling, places, sizeof places) == 0);
  say_all();
  MPI_Finalize();
  return 0;
}
