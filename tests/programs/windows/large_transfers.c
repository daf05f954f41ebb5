// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Puts and gets of a hundred thousand bytes, whole and in strides, under exclusive locks.
#include "program.h"

enum { N = 12000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  double* memory;
  MPI_Win win;
  MPI_Win_allocate(N * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < N; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  double* data = allocate(N * sizeof(double));
  for (int i = 0; i < N; ++i) data[i] = rank + i;
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Datatype strided;
  MPI_Type_vector(N / 4, 1, 3, MPI_DOUBLE, &strided);
  MPI_Type_commit(&strided);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win);
  MPI_Put(data, N, MPI_DOUBLE, right, 0, N, MPI_DOUBLE, win);
  MPI_Win_flush(right, win);
  MPI_Accumulate(data, N / 4, MPI_DOUBLE, right, 0, 1, strided, MPI_SUM, win);
  MPI_Win_unlock(right, win);
  MPI_Barrier(MPI_COMM_WORLD);
  memset(data, 0, N * sizeof(double));
  MPI_Win_lock(MPI_LOCK_SHARED, left, 0, win);
  MPI_Get(data, 1, strided, left, 1, N / 4, MPI_DOUBLE, win);
  MPI_Win_unlock(left, win);
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += data[i] * (i % 7);
  say("%.0f, %.0f %.0f\n", sum, memory[0], memory[3]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Type_free(&strided);
  MPI_Win_free(&win);
  free(data);
  say_all();
  MPI_Finalize();
  return 0;
}
