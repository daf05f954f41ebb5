// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Reductions whose blocks have different lengths, among them none.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  for (int base = 0; base < 60; base = base * 3 + 1) {
    int counts[17], total = 0;
    for (int r = 0; r < ranks; ++r) total += counts[r] = (r % 3) * base;
    double* mine = allocate((size_t)total * sizeof(double));
    double* got = allocate((size_t)counts[rank] * sizeof(double));
    for (int i = 0; i < total; ++i) mine[i] = (rank + 1) * (i % 50);
    MPI_Reduce_scatter(mine, got, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double sum = 0;
    for (int i = 0; i < counts[rank]; ++i) sum += got[i] * (i + 1);
    say("%d: %.0f\n", base, sum);
    free(mine);
    free(got);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
