// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Jacobi's method for a chain of weights, whose halos are persistent requests.
#include "program.h"

enum { N = 30, STEPS = 25 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  long cells[2][N + 2];
  for (int i = 0; i < N + 2; ++i) cells[0][i] = cells[1][i] = ((long)(rank * N + i) * (rank * N + i)) % 4096 * 1024;
  const int right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  if (rank == 0) cells[0][0] = cells[1][0] = 1 << 20;
  if (rank == ranks - 1) cells[0][N + 1] = cells[1][N + 1] = 0;
  MPI_Request requests[2][4];
  for (int b = 0; b < 2; ++b) {
    MPI_Send_init(&cells[b][1], 1, MPI_LONG, left, 0, MPI_COMM_WORLD, &requests[b][0]);
    MPI_Send_init(&cells[b][N], 1, MPI_LONG, right, 1, MPI_COMM_WORLD, &requests[b][1]);
    MPI_Recv_init(&cells[b][N + 1], 1, MPI_LONG, right, 0, MPI_COMM_WORLD, &requests[b][2]);
    MPI_Recv_init(&cells[b][0], 1, MPI_LONG, left, 1, MPI_COMM_WORLD, &requests[b][3]);
  }
  for (int turn = 0; turn < STEPS; ++turn) {
    const int b = turn % 2;
    MPI_Startall(4, requests[b]);
    for (int i = 2; i < N; ++i) cells[1 - b][i] = (cells[b][i - 1] + cells[b][i + 1]) / 2;
    MPI_Waitall(4, requests[b], MPI_STATUSES_IGNORE);
    cells[1 - b][1] = (cells[b][0] + cells[b][2]) / 2;
    cells[1 - b][N] = (cells[b][N - 1] + cells[b][N + 1]) / 2;
  }
  long sum = 0, total;
  for (int i = 1; i <= N; ++i) sum += cells[STEPS % 2][i];
  MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  say("%ld of %ld\n", sum, total);
  for (int b = 0; b < 2; ++b) {
    for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[b][i]);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
