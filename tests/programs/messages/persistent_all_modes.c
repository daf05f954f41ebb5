// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Persistent sends in all four modes are started again and again, with other data each time.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int out[4][50], in[4][50], size;
  MPI_Request sends[4], receives[4];
  MPI_Pack_size(50, MPI_INT, MPI_COMM_WORLD, &size);
  size += MPI_BSEND_OVERHEAD;
  void* buffer = allocate((size_t)size);
  MPI_Buffer_attach(buffer, size);
  MPI_Send_init(out[0], 50, MPI_INT, right, 0, MPI_COMM_WORLD, &sends[0]);
  MPI_Ssend_init(out[1], 50, MPI_INT, right, 1, MPI_COMM_WORLD, &sends[1]);
  MPI_Bsend_init(out[2], 50, MPI_INT, right, 2, MPI_COMM_WORLD, &sends[2]);
  MPI_Rsend_init(out[3], 50, MPI_INT, right, 3, MPI_COMM_WORLD, &sends[3]);
  for (int i = 0; i < 4; ++i) MPI_Recv_init(in[i], 50, MPI_INT, left, i, MPI_COMM_WORLD, &receives[i]);
  for (int turn = 0; turn < 4; ++turn) {
    MPI_Startall(4, receives);
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 50; ++k) out[i][k] = 1000 * turn + 100 * i + k + rank;
    }
    MPI_Barrier(MPI_COMM_WORLD);  // a ready send needs the receive
    MPI_Startall(4, sends);
    MPI_Waitall(4, sends, MPI_STATUSES_IGNORE);
    MPI_Waitall(4, receives, MPI_STATUSES_IGNORE);
    say("%d: %08x\n", turn, (unsigned)checksum(in, sizeof in));
  }
  for (int i = 0; i < 4; ++i) {
    MPI_Request_free(&sends[i]);
    MPI_Request_free(&receives[i]);
  }
  MPI_Buffer_detach(&buffer, &size);
  free(buffer);
  say_all();
  MPI_Finalize();
  return 0;
}
