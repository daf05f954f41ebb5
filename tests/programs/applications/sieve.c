// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// The sieve of Eratosthenes over parts of the numbers; rank 0 broadcasts each prime of the first part.
#include "program.h"

enum { PER = 120 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  static bool crossed[PER];
  const int first = rank * PER;
  const int last = PER * ranks;
  int prime = 2;
  while (prime * prime < last) {
    for (int i = first == 0 ? prime * prime : (first + prime - 1) / prime * prime; i < first + PER; i += prime) {
      if (i >= prime * prime) crossed[i - first] = true;
    }
    if (rank == 0) {
      do ++prime;
      while (prime < PER && crossed[prime]);
    }
    MPI_Bcast(&prime, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  int count = 0, all, largest = 0, largest_of_all;
  for (int i = 0; i < PER; ++i) {
    if (first + i < 2 || crossed[i]) continue;
    ++count;
    largest = first + i;
  }
  MPI_Allreduce(&count, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&largest, &largest_of_all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  say("%d of %d primes, largest %d\n", count, all, largest_of_all);
  say_all();
  MPI_Finalize();
  return 0;
}
