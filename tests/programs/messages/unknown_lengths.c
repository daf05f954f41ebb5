// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A probe tells how long a message is, so that memory of its length is taken for it.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  uint64_t state = 99u + (uint64_t)rank;
  for (int turn = 0; turn < 6; ++turn) {
    const int length = (int)(next_random(&state) % 3000);
    const int to = (rank + turn + 1) % ranks, from = (rank + 6 * ranks - turn - 1) % ranks;
    char* out = allocate((size_t)length);
    fill(out, (size_t)length, (uint64_t)(rank * 10 + turn));
    MPI_Request request;
    MPI_Isend(out, length, MPI_CHAR, to, turn, MPI_COMM_WORLD, &request);
    MPI_Status status;
    MPI_Probe(from, turn, MPI_COMM_WORLD, &status);
    int bytes;
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    char* in = allocate((size_t)bytes);
    MPI_Recv(in, bytes, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("%d bytes, %08x\n", bytes, (unsigned)checksum(in, (size_t)bytes));
    free(in);
    free(out);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
