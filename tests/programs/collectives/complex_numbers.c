// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Sums and products of complex numbers, which are exact for small whole parts.
#include <complex.h>

#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  double complex mine[3], all[3], product[3];
  float complex single[2], single_all[2];
  for (int i = 0; i < 3; ++i) mine[i] = rank + 1 + (i - rank) * I;
  MPI_Allreduce(mine, all, 3, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) say(" %.0f%+.0fi", creal(all[i]), cimag(all[i]));
  for (int i = 0; i < 3; ++i) mine[i] = (rank + i) % 4 == 0 ? 1.0 + I : I;
  MPI_Scan(mine, product, 3, MPI_C_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) say(" %.0f%+.0fi", creal(product[i]) + 0.0, cimag(product[i]) + 0.0);
  for (int i = 0; i < 2; ++i) single[i] = (float)rank - 0.5F * (float)i * I;
  MPI_Reduce(single, single_all, 2, MPI_C_FLOAT_COMPLEX, MPI_SUM, ranks - 1, MPI_COMM_WORLD);
  if (rank == ranks - 1) say(" %.1f%+.1fi", (double)crealf(single_all[1]), (double)cimagf(single_all[1]));
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
