// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Sendrecv_replace and the nonblocking forms: round the ring, with oneself, along a line, long and short.
#include "program.h"

enum { LONG = 3000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  static int data[LONG], out[LONG];
  MPI_Status status;
  for (int length = 1; length <= LONG; length *= 40) {
    for (int i = 0; i < length; ++i) data[i] = rank * 10000 + i;
    MPI_Sendrecv_replace(data, length, MPI_INT, right, 4, left, 4, MPI_COMM_WORLD, &status);
    say("%d from %d: %d\n", length, status.MPI_SOURCE, data[length - 1] == left * 10000 + length - 1);
    MPI_Request request;
    MPI_Isendrecv_replace(data, length, MPI_INT, left, 5, right, 5, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("back: %d\n", data[0] == rank * 10000);
    for (int i = 0; i < length; ++i) out[i] = rank + i;
    MPI_Isendrecv(out, length, MPI_INT, right, 6, data, LONG, MPI_INT, left, 6, MPI_COMM_WORLD, &request);
    int flag = 0;
    while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    say("%d: %d\n", length, data[length - 1] == left + length - 1);
  }
  // Along a line that ends.
  const int up = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  data[0] = rank;
  MPI_Sendrecv_replace(data, 1, MPI_INT, up, 7, down, 7, MPI_COMM_WORLD, &status);
  say("line: %d %d\n", data[0], status.MPI_SOURCE == MPI_PROC_NULL);
  data[0] = rank + 50;
  MPI_Sendrecv_replace(data, 1, MPI_INT, rank, 8, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &status);
  say("oneself: %d\n", data[0] == rank + 50);
  say_all();
  MPI_Finalize();
  return 0;
}
