// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Accumulations of every class of types: integers of all widths, real and complex numbers, bytes.
#include <complex.h>

#include "program.h"
#include "reduction.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  struct element_type types[ELEMENT_TYPES];
  element_types(types);
  int64_t* memory;
  MPI_Win win;
  MPI_Win_allocate((ELEMENT_TYPES + 2) * 2 * sizeof(int64_t), sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  memset(memory, 0, (ELEMENT_TYPES + 2) * 2 * sizeof(int64_t));
  int64_t mine[ELEMENT_TYPES][2];
  const float complex number = 1.0F + (float)rank * I;
  MPI_Win_fence(0, win);
  for (int t = 0; t < ELEMENT_TYPES; ++t) {
    for (int i = 0; i < 2; ++i) types[t].store(mine[t], (size_t)i, (rank + t + i) % 6);
    MPI_Accumulate(mine[t], 2, types[t].type, (rank + t) % ranks, 2 * t, 2, types[t].type, t % 2 ? MPI_SUM : MPI_MAX,
                   win);
  }
  MPI_Accumulate(&number, 1, MPI_C_FLOAT_COMPLEX, 0, 2 * ELEMENT_TYPES, 1, MPI_C_FLOAT_COMPLEX, MPI_SUM, win);
  MPI_Win_fence(0, win);
  for (int t = 0; t < ELEMENT_TYPES; ++t) {
    say(" %lld %lld", types[t].load(memory + 2 * t, 0), types[t].load(memory + 2 * t, 1));
  }
  const float complex* sum = (const float complex*)(memory + 2 * ELEMENT_TYPES);
  say(" %.0f %.0f\n", (double)crealf(*sum), (double)cimagf(*sum));
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
