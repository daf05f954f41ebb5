// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// One large message from rank 0 to the last rank; argument: bytes (1 MiB).
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int bytes = argc > 1 ? atoi(argv[1]) : 1 << 20;
  const int rank = my_rank(), last = all_ranks() - 1;
  unsigned char* data = allocate((size_t)bytes);
  unsigned char* copy = allocate((size_t)bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) {
    fill(data, (size_t)bytes, 7);
    say("sent     %d bytes, checksum %08x\n", bytes, (unsigned)checksum(data, (size_t)bytes));
    MPI_Isend(data, bytes, MPI_BYTE, last, 0, MPI_COMM_WORLD, &request);
  }
  if (rank == last) {
    MPI_Recv(copy, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("received %d bytes, checksum %08x\n", bytes, (unsigned)checksum(copy, (size_t)bytes));
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  free(copy);
  free(data);
  say_all();
  MPI_Finalize();
  return 0;
}
