// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Messages that are under way while collectives go on do not disturb them, nor they the messages.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  static int out[6000], in[6000];
  for (int i = 0; i < 6000; ++i) out[i] = rank + i;
  MPI_Request requests[2];
  MPI_Irecv(in, 6000, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]);
  int sum, all[17];
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Isend(out, 6000, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allgather(&sum, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Bcast(&sum, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  say("%d %d %08x\n", sum, all[ranks - 1], (unsigned)checksum(in, sizeof in));
  say_all();
  MPI_Finalize();
  return 0;
}
