// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// As bandwidth benchmarks do: a window of sends at once, one acknowledgement, from the lower half of the ranks to
// the upper.
#include "program.h"

enum { WINDOW = 32 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int half = ranks / 2;
  static char data[WINDOW][2048];
  MPI_Request requests[WINDOW];
  for (int bytes = 1; bytes <= 2048; bytes *= 8) {
    if (rank < half) {
      for (int i = 0; i < WINDOW; ++i) {
        fill(data[i], (size_t)bytes, (uint64_t)(rank + i));
        MPI_Isend(data[i], bytes, MPI_CHAR, rank + half, 100, MPI_COMM_WORLD, &requests[i]);
      }
      MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
      int done;
      MPI_Recv(&done, 1, MPI_INT, rank + half, 101, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      say("%d: acknowledged %d\n", bytes, done);
    } else if (rank < 2 * half) {
      for (int i = 0; i < WINDOW; ++i) {
        MPI_Irecv(data[i], bytes, MPI_CHAR, rank - half, 100, MPI_COMM_WORLD, &requests[i]);
      }
      MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
      const int done = WINDOW;
      MPI_Send(&done, 1, MPI_INT, rank - half, 101, MPI_COMM_WORLD);
      uint32_t hash = 0;
      for (int i = 0; i < WINDOW; ++i) hash = hash * 17 + checksum(data[i], (size_t)bytes);
      say("%d: %08x\n", bytes, (unsigned)hash);
    }
  }
  say_all();
  MPI_Finalize();
  return 0;
}
