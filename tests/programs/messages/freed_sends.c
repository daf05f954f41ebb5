// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A request of a send may be freed at once; the message arrives nevertheless.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  static double out[4][3000], in[3000];
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 3000; ++k) out[i][k] = rank + i + 0.5 * k;
    MPI_Request request;
    MPI_Isend(out[i], i % 2 == 0 ? 3000 : 2, MPI_DOUBLE, right, i, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    say("null %d\n", request == MPI_REQUEST_NULL);
  }
  for (int i = 3; i >= 0; --i) {
    MPI_Status status;
    int count;
    MPI_Recv(in, 3000, MPI_DOUBLE, left, i, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    say("%d: %d numbers, %.1f\n", i, count, in[count - 1]);
  }
  // All has been received before any buffer goes away.
  MPI_Barrier(MPI_COMM_WORLD);
  say_all();
  MPI_Finalize();
  return 0;
}
