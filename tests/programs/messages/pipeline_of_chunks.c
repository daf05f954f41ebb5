// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A long message goes through all ranks in chunks; each works on one chunk while the next comes.
#include "program.h"

enum { CHUNKS = 12, CHUNK = 400 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  static int data[2][CHUNK];
  MPI_Request in[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, out[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  uint32_t hash = 0;
  for (int c = 0; c < CHUNKS; ++c) {
    const int slot = c % 2;
    MPI_Wait(&out[slot], MPI_STATUS_IGNORE);
    if (rank == 0) {
      for (int i = 0; i < CHUNK; ++i) data[slot][i] = c * CHUNK + i;
    } else {
      MPI_Irecv(data[slot], CHUNK, MPI_INT, rank - 1, c, MPI_COMM_WORLD, &in[slot]);
      MPI_Wait(&in[slot], MPI_STATUS_IGNORE);
      for (int i = 0; i < CHUNK; ++i) data[slot][i] += rank * (i % 3);
    }
    hash = hash * 31 + checksum(data[slot], sizeof data[slot]);
    if (rank + 1 < ranks) MPI_Isend(data[slot], CHUNK, MPI_INT, rank + 1, c, MPI_COMM_WORLD, &out[slot]);
  }
  MPI_Waitall(2, out, MPI_STATUSES_IGNORE);
  say("%08x\n", (unsigned)hash);
  say_all();
  MPI_Finalize();
  return 0;
}
