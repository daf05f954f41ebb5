// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A matrix is transposed by one message to oneself: sent by rows, received by columns.
#include "program.h"

enum { N = 16, M = 11 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  int matrix[N][M], turned[M][N];
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < M; ++k) matrix[i][k] = rank * 1000 + i * M + k;
  }
  MPI_Datatype column, all;
  MPI_Type_vector(M, 1, N, MPI_INT, &column);
  MPI_Type_create_hvector(N, 1, sizeof(int), column, &all);
  MPI_Type_commit(&all);
  MPI_Sendrecv(matrix, N * M, MPI_INT, rank, 0, turned, 1, all, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int wrong = 0;
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < M; ++k) wrong += turned[k][i] != matrix[i][k];
  }
  say("%d wrong, %08x\n", wrong, (unsigned)checksum(turned, sizeof turned));
  MPI_Type_free(&column);
  MPI_Type_free(&all);
  say_all();
  MPI_Finalize();
  return 0;
}
