// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Messages of 0 bytes to 64 KiB go forth and back between pairs of ranks, as latency benchmarks send them.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  static unsigned char data[65536], back[65536];
  const int partner = rank ^ 1;
  if (partner < ranks) {
    for (int bytes = 0; bytes <= 65536; bytes = bytes == 0 ? 1 : bytes * 4) {
      fill(data, (size_t)bytes, (uint64_t)bytes + (uint64_t)(rank / 2));
      if (rank % 2 == 0) {
        MPI_Send(data, bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD);
        MPI_Recv(back, bytes, MPI_BYTE, partner, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int right = 1;
        for (int i = 0; i < bytes; ++i) right &= back[i] == (unsigned char)~data[i];
        say("%d: %d\n", bytes, right);
      } else {
        MPI_Recv(back, bytes, MPI_BYTE, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < bytes; ++i) back[i] = (unsigned char)~back[i];
        MPI_Send(back, bytes, MPI_BYTE, partner, 2, MPI_COMM_WORLD);
      }
    }
  }
  say_all();
  MPI_Finalize();
  return 0;
}
