// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A halo exchange in a grid by one neighbourhood collective with types of its own for each side.
#include "program.h"

enum { N = 5 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int dims[2] = {0, 0};
  const int wraps[2] = {1, 1};
  MPI_Comm grid;
  MPI_Dims_create(ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 0, &grid);
  int cells[N + 2][N + 2];
  for (int i = 0; i < (N + 2) * (N + 2); ++i) cells[i / (N + 2)][i % (N + 2)] = rank * 100 + i;
  MPI_Datatype row, column;
  MPI_Type_contiguous(N, MPI_INT, &row);
  MPI_Type_vector(N, 1, N + 2, MPI_INT, &column);
  MPI_Type_commit(&row);
  MPI_Type_commit(&column);
  const MPI_Datatype types[4] = {row, row, column, column};
  const int counts[4] = {1, 1, 1, 1};
  const MPI_Aint start = (MPI_Aint)sizeof(int), line = (N + 2) * (MPI_Aint)sizeof(int);
  const MPI_Aint out[4] = {line + start, N * line + start, line + start, line + N * start};
  const MPI_Aint in[4] = {start, (N + 1) * line + start, line, line + (N + 1) * start};
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Neighbor_alltoallw(cells, counts, out, types, cells, counts, in, types, grid);
    for (int i = 1; i <= N; ++i) {
      for (int k = 1; k <= N; ++k) cells[i][k] = (cells[i][k] + cells[i - 1][k] + cells[i][k + 1]) % 5003;
    }
  }
  say("%08x\n", (unsigned)checksum(cells, sizeof cells));
  MPI_Type_free(&row);
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
  say_all();
  MPI_Finalize();
  return 0;
}
