// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// All ranks send to all through an attached buffer before anybody receives.
#include "program.h"

enum { LENGTH = 40 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int size;
  MPI_Pack_size(LENGTH, MPI_INT, MPI_COMM_WORLD, &size);
  size = ranks * (size + MPI_BSEND_OVERHEAD);
  void* buffer = allocate((size_t)size);
  MPI_Buffer_attach(buffer, size);
  int data[LENGTH];
  for (int r = 0; r < ranks; ++r) {
    for (int i = 0; i < LENGTH; ++i) data[i] = rank * 1000 + r * 30 + i;
    MPI_Bsend(data, LENGTH, MPI_INT, r, rank, MPI_COMM_WORLD);
    memset(data, 0, sizeof data);  // it has been copied
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int r = ranks - 1; r >= 0; --r) {
    MPI_Recv(data, LENGTH, MPI_INT, r, r, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("from %d: %d to %d\n", r, data[0], data[LENGTH - 1]);
  }
  void* back;
  int back_size;
  MPI_Buffer_detach(&back, &back_size);
  say("detached %d %d\n", back == buffer, back_size == size);
  free(buffer);
  say_all();
  MPI_Finalize();
  return 0;
}
