// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Allreduce of vectors shorter and longer than every buffer of the engine, with integer-valued doubles and int64.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int sizes[] = {0, 1, 31, 64, 257, 600, 2000};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    const int count = sizes[s];
    double* numbers = allocate((size_t)count * sizeof *numbers);
    double* sums = allocate((size_t)count * sizeof *sums);
    int64_t* integers = allocate((size_t)count * sizeof *integers);
    for (int i = 0; i < count; ++i) {
      numbers[i] = (double)(rank + 1) * (i % 97) - 50;
      integers[i] = ((int64_t)1 << 40) * ((rank + i) % 3) - i;
    }
    MPI_Allreduce(numbers, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, integers, count, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    int wrong = 0;
    for (int i = 0; i < count; ++i) wrong += sums[i] != (double)(ranks * (ranks + 1) / 2) * (i % 97) - 50.0 * ranks;
    say("rank %d count %d: wrong sums %d, checksums %08x %08x\n", rank, count, wrong,
        (unsigned)checksum(sums, (size_t)count * sizeof *sums),
        (unsigned)checksum(integers, (size_t)count * sizeof *integers));
    free(integers);
    free(sums);
    free(numbers);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
