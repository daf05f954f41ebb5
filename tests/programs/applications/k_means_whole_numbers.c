// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// K-means of points with whole coordinates: sums by reductions, centres that all ranks have alike.
#include "program.h"

enum { N = 40, K = 3, STEPS = 8 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  long points[N][2], centres[K][2] = {{0, 0}, {500, 500}, {999, 100}};
  uint64_t state = (uint64_t)rank * 7 + 1;
  for (int i = 0; i < N; ++i) {
    points[i][0] = next_random(&state) % 300 + (i % K) * 350;
    points[i][1] = next_random(&state) % 300 + (i % 2) * 400;
  }
  for (int turn = 0; turn < STEPS; ++turn) {
    long sums[K][3] = {{0}}, all[K][3];
    for (int i = 0; i < N; ++i) {
      int nearest = 0;
      long least = -1;
      for (int c = 0; c < K; ++c) {
        const long x = points[i][0] - centres[c][0], y = points[i][1] - centres[c][1], distance = x * x + y * y;
        if (least < 0 || distance < least) least = distance, nearest = c;
      }
      sums[nearest][0] += points[i][0];
      sums[nearest][1] += points[i][1];
      ++sums[nearest][2];
    }
    MPI_Allreduce(sums, all, K * 3, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int c = 0; c < K; ++c) {
      if (all[c][2] > 0) centres[c][0] = all[c][0] / all[c][2], centres[c][1] = all[c][1] / all[c][2];
    }
  }
  for (int c = 0; c < K; ++c) say(" (%ld, %ld)", centres[c][0], centres[c][1]);
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
