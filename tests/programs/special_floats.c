// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Floating-point corners through reductions: infinities, signed zeros, subnormals, the largest and smallest numbers.
#include <float.h>
#include <math.h>

#include "program.h"

static uint64_t bits_of(double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  // One rank holds the special number, the others hold what leaves it alone.
  const double special[] = {INFINITY, -INFINITY, DBL_MAX, DBL_MIN, DBL_TRUE_MIN, -DBL_TRUE_MIN, 0x1.fffffffffffffp-3};
  enum { COUNT = sizeof special / sizeof *special };
  const int owner = all_ranks() / 2;
  double in[COUNT], sum[COUNT], low[COUNT], high[COUNT];
  for (int i = 0; i < COUNT; ++i) in[i] = rank == owner ? special[i] : 0.0;
  MPI_Allreduce(in, sum, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < COUNT; ++i) in[i] = rank == owner ? special[i] : INFINITY;
  MPI_Allreduce(in, low, COUNT, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  for (int i = 0; i < COUNT; ++i) in[i] = rank == owner ? special[i] : -INFINITY;
  MPI_Allreduce(in, high, COUNT, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < COUNT; ++i) {
    say("rank %d: %016llx %016llx %016llx\n", rank, (unsigned long long)bits_of(sum[i]),
        (unsigned long long)bits_of(low[i]), (unsigned long long)bits_of(high[i]));
  }
  float single = rank == owner ? FLT_TRUE_MIN : 0.0f, single_sum = -1, single_low = 1;
  MPI_Allreduce(&single, &single_sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  single = rank == owner ? -FLT_MAX : FLT_TRUE_MIN;
  MPI_Allreduce(&single, &single_low, 1, MPI_FLOAT, MPI_MIN, MPI_COMM_WORLD);
  say("rank %d: %a %a\n", rank, (double)single_sum, (double)single_low);
  say_all();
  MPI_Finalize();
  return 0;
}
