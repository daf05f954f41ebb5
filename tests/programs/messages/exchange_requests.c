// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Exchanges that go on while the rank does something else: MPI_Isendrecv and MPI_Isendrecv_replace.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int out[100], in[100], both[60];
  for (int i = 0; i < 100; ++i) out[i] = rank * 100 + i;
  for (int i = 0; i < 60; ++i) both[i] = rank * 60 - i;
  MPI_Request requests[2];
  MPI_Isendrecv(out, 100, MPI_INT, right, 1, in, 100, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isendrecv_replace(both, 60, MPI_INT, left, 2, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  say("%d %d, %d %d\n", in[0] - 100 * left, in[99] - 100 * left, both[0] - 60 * right, both[59] - 60 * right);
  say_all();
  MPI_Finalize();
  return 0;
}
