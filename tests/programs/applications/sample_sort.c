// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Sample sort: samples choose the splitters, MPI_Alltoallv moves the values, each rank sorts what it got.
#include "program.h"

enum { N = 60 };

static int smaller(const void* a, const void* b) {
  const int x = *(const int*)a, y = *(const int*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int values[N], samples[17], all[17 * 17], counts[17], places[17], in_counts[17], in_places[17];
  uint64_t state = (uint64_t)rank + 1000;
  for (int i = 0; i < N; ++i) values[i] = (int)(next_random(&state) % 100000);
  qsort(values, N, sizeof(int), smaller);
  for (int i = 0; i < ranks; ++i) samples[i] = values[i * N / ranks];
  MPI_Allgather(samples, ranks, MPI_INT, all, ranks, MPI_INT, MPI_COMM_WORLD);
  qsort(all, (size_t)(ranks * ranks), sizeof(int), smaller);
  int at = 0;
  for (int r = 0; r < ranks; ++r) {
    places[r] = at;
    while (at < N && (r == ranks - 1 || values[at] < all[(r + 1) * ranks])) ++at;
    counts[r] = at - places[r];
  }
  MPI_Alltoall(counts, 1, MPI_INT, in_counts, 1, MPI_INT, MPI_COMM_WORLD);
  int total = 0;
  for (int r = 0; r < ranks; ++r) {
    in_places[r] = total;
    total += in_counts[r];
  }
  int* mine = allocate((size_t)total * sizeof(int));
  MPI_Alltoallv(values, counts, places, MPI_INT, mine, in_counts, in_places, MPI_INT, MPI_COMM_WORLD);
  qsort(mine, (size_t)total, sizeof(int), smaller);
  long before = 0, count = total;
  MPI_Exscan(&count, &before, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  say("%d values from place %ld: %d to %d\n", total, rank == 0 ? 0 : before, total > 0 ? mine[0] : -1,
      total > 0 ? mine[total - 1] : -1);
  free(mine);
  say_all();
  MPI_Finalize();
  return 0;
}
