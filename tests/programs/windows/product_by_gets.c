// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A matrix product whose ranks keep rows of both factors and GET the rows of the second one as they need them.
#include "program.h"

enum { N = 34 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int most = (N + ranks - 1) / ranks;
  const int first = rank * most < N ? rank * most : N;
  const int rows = first + most <= N ? most : N - first;
  int* a = allocate((size_t)(most * N) * sizeof(int));
  int* c = allocate((size_t)(most * N) * sizeof(int));
  int* b;
  MPI_Win win;
  MPI_Win_allocate((MPI_Aint)((size_t)(most * N) * sizeof(int)), N * (int)sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &b, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < N; ++j) {
      a[i * N + j] = (first + i) * 3 - j;
      b[i * N + j] = (first + i) ^ j;
    }
  }
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  for (int k = 0; k < N; ++k) {
    int row[N];
    MPI_Get(row, N, MPI_INT, k / most, k % most, N, MPI_INT, win);
    MPI_Win_flush(k / most, win);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < N; ++j) c[i * N + j] += a[i * N + k] * row[j];
    }
  }
  MPI_Win_unlock_all(win);
  say("%d rows: %08x\n", rows, checksum(c, (size_t)(rows * N) * sizeof(int)));
  MPI_Win_free(&win);
  free(a);
  free(c);
  say_all();
  MPI_Finalize();
  return 0;
}
