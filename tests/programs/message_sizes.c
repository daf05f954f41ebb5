// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Messages of every interesting size between the first and the last rank: empty, one byte, around one
// packet, around a page, 64 KiB. With one rank it talks to itself.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), last = all_ranks() - 1;
  const int sizes[] = {0,   1,   2,   3,   4,   5,   7,   8,    231,  232,  233,
                       240, 247, 248, 249, 255, 256, 257, 4095, 4096, 4097, 65536};
  unsigned char* sent = allocate(65536);
  unsigned char* received = allocate(65536 + 1);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    const int bytes = sizes[i];
    fill(sent, (size_t)bytes, (uint64_t)bytes + 5);
    received[bytes] = 0xa5;  // must stay
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) MPI_Isend(sent, bytes, MPI_BYTE, last, (int)i, MPI_COMM_WORLD, &request);
    if (rank == last) {
      MPI_Status status;
      int count;
      MPI_Recv(received, 65536, MPI_BYTE, 0, (int)i, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_BYTE, &count);
      say("%d bytes: count %d source %d tag %d %s %s\n", bytes, count, status.MPI_SOURCE, status.MPI_TAG,
          memcmp(sent, received, (size_t)bytes) == 0 ? "equal" : "DIFFERENT",
          received[bytes] == 0xa5 ? "inside" : "OVERRUN");
      if (last != 0) MPI_Send(received, count, MPI_BYTE, 0, (int)i, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0 && last != 0) {
      memset(received, 0, (size_t)bytes);
      MPI_Recv(received, bytes, MPI_BYTE, last, (int)i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      say("%d bytes came back %s\n", bytes, memcmp(sent, received, (size_t)bytes) == 0 ? "equal" : "DIFFERENT");
    }
  }
  free(received);
  free(sent);
  say_all();
  MPI_Finalize();
  return 0;
}
