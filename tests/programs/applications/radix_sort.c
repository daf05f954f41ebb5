// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Radix sort by digits of four bits: counts by scans, moves to exact places by MPI_Alltoallv.
#include "program.h"

enum { N = 40, DIGITS = 16 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  unsigned values[N], sorted[N];
  uint64_t state = (uint64_t)rank * 3 + 17;
  for (int i = 0; i < N; ++i) values[i] = next_random(&state) % 65536;
  for (int shift = 0; shift < 16; shift += 4) {
    int counts[DIGITS] = {0}, before[DIGITS] = {0}, totals[DIGITS], starts[DIGITS];
    for (int i = 0; i < N; ++i) ++counts[values[i] >> shift & 15];
    MPI_Exscan(counts, before, DIGITS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) memset(before, 0, sizeof before);
    MPI_Allreduce(counts, totals, DIGITS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int d = 0, sum = 0; d < DIGITS; sum += totals[d++]) starts[d] = sum + before[d];
    unsigned pairs[N][2], got[N][2];
    int out[17] = {0}, in[17], places[17], in_places[17], next[17];
    int goal[N];
    for (int i = 0; i < N; ++i) goal[i] = starts[values[i] >> shift & 15]++, out[goal[i] / N] += 2;
    for (int r = 0, sum = 0; r < ranks; sum += out[r++]) places[r] = next[r] = sum;
    for (int i = 0; i < N; ++i) {
      unsigned* pair = pairs[next[goal[i] / N] / 2];
      pair[0] = (unsigned)(goal[i] % N);
      pair[1] = values[i];
      next[goal[i] / N] += 2;
    }
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0, sum = 0; r < ranks; sum += in[r++]) in_places[r] = sum;
    MPI_Alltoallv(pairs, out, places, MPI_UNSIGNED, got, in, in_places, MPI_UNSIGNED, MPI_COMM_WORLD);
    for (int i = 0; i < N; ++i) sorted[got[i][0]] = got[i][1];
    memcpy(values, sorted, sizeof values);
  }
  int rising = 0;
  for (int i = 1; i < N; ++i) rising += values[i - 1] <= values[i];
  say("%u to %u, %d rising\n", values[0], values[N - 1], rising);
  say_all();
  MPI_Finalize();
  return 0;
}
