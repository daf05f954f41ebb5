// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// More long messages at once than any table or buffer holds: to both neighbours, waited for in another order than sent.
#include "program.h"

enum { MESSAGES = 20, INTEGERS = 400 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int sides[2] = {(rank + 1) % ranks, (rank + ranks - 1) % ranks};
  const size_t block = INTEGERS * sizeof(int);
  int* out = allocate(2 * MESSAGES * block);
  int* in = allocate(2 * MESSAGES * block);
  MPI_Request sends[2 * MESSAGES], receives[2 * MESSAGES];
  for (int m = 0; m < 2 * MESSAGES; ++m) {
    for (int i = 0; i < INTEGERS; ++i) out[m * INTEGERS + i] = rank * 1000000 + m * 1000 + i;
    // The tag tells apart the two directions, which lead to one rank where there are only two.
    MPI_Isend(&out[m * INTEGERS], INTEGERS - m, MPI_INT, sides[m % 2], m, MPI_COMM_WORLD, &sends[m]);
  }
  for (int m = 2 * MESSAGES - 1; m >= 0; --m) {
    MPI_Irecv(&in[m * INTEGERS], INTEGERS, MPI_INT, sides[1 - m % 2], m, MPI_COMM_WORLD, &receives[m]);
  }
  MPI_Waitall(2 * MESSAGES, receives, MPI_STATUSES_IGNORE);
  for (int m = 2 * MESSAGES - 1; m >= 0; --m) MPI_Wait(&sends[m], MPI_STATUS_IGNORE);
  say("rank %d: checksum %08x\n", rank, (unsigned)checksum(in, 2 * MESSAGES * block));
  free(in);
  free(out);
  say_all();
  MPI_Finalize();
  return 0;
}
