// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A matrix of rows is transposed by puts of single columns to the ranks that own them as rows.
#include "program.h"

enum { PER = 3 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int n = PER * ranks;
  int* rows = allocate((size_t)(PER * n) * sizeof(int));
  int* turned;
  MPI_Win win;
  MPI_Win_allocate((MPI_Aint)((size_t)(PER * n) * sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &turned,
                   &win);
  for (int i = 0; i < PER * n; ++i) rows[i] = rank * PER * n + i;
  MPI_Datatype column;
  MPI_Type_vector(PER, 1, n, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win_fence(0, win);
  for (int c = 0; c < n; ++c) {
    MPI_Put(rows + c, 1, column, c / PER, (c % PER) * n + rank * PER, PER, MPI_INT, win);
  }
  MPI_Win_fence(0, win);
  int wrong = 0;
  for (int i = 0; i < PER; ++i) {
    for (int k = 0; k < n; ++k) wrong += turned[i * n + k] != k * n + rank * PER + i;
  }
  say("%d wrong, %d %d\n", wrong, turned[0], turned[PER * n - 1]);
  MPI_Type_free(&column);
  MPI_Win_free(&win);
  free(rows);
  say_all();
  MPI_Finalize();
  return 0;
}
