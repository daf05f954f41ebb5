// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// What lies in the holes of a received type stays as it was, in messages, gathers and scatters.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  unsigned char area[200];
  MPI_Datatype holes, sized;
  const int lengths[4] = {3, 1, 5, 2}, places[4] = {2, 7, 11, 20};
  MPI_Type_indexed(4, lengths, places, MPI_BYTE, &holes);
  MPI_Type_create_resized(holes, 0, 25, &sized);
  MPI_Type_commit(&sized);
  unsigned char out[44];
  fill(out, sizeof out, (uint64_t)rank + 5);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  memset(area, 0xaa, sizeof area);
  MPI_Sendrecv(out, 44, MPI_BYTE, right, 0, area + 10, 4, sized, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int kept = 0;
  for (int i = 0; i < 200; ++i) kept += area[i] == 0xaa;
  say("%d untouched, %08x\n", kept, (unsigned)checksum(area, sizeof area));
  unsigned char* all = allocate((size_t)ranks * 25);
  memset(all, 0x55, (size_t)ranks * 25);
  MPI_Allgather(out, 11, MPI_BYTE, all, 1, sized, MPI_COMM_WORLD);
  say("%08x\n", (unsigned)checksum(all, (size_t)ranks * 25));
  MPI_Type_free(&holes);
  MPI_Type_free(&sized);
  free(all);
  say_all();
  MPI_Finalize();
  return 0;
}
