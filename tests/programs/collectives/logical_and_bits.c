// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Logical operations on true and false, bit operations on bytes: empty, one and many contributions.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  bool flags[4] = {rank % 2 == 0, rank == 0, true, false}, result[4];
  const MPI_Op logical[3] = {MPI_LAND, MPI_LOR, MPI_LXOR}, bits[3] = {MPI_BAND, MPI_BOR, MPI_BXOR};
  for (int o = 0; o < 3; ++o) {
    MPI_Allreduce(flags, result, 4, MPI_C_BOOL, logical[o], MPI_COMM_WORLD);
    say("%d%d%d%d ", result[0], result[1], result[2], result[3]);
  }
  unsigned char bytes[9], reduced[9];
  for (int i = 0; i < 9; ++i) bytes[i] = (unsigned char)(0xf0 >> (rank % 5)) ^ (unsigned char)(i * 17);
  for (int o = 0; o < 3; ++o) {
    MPI_Allreduce(bytes, reduced, 9, MPI_BYTE, bits[o], MPI_COMM_WORLD);
    for (int i = 0; i < 9; ++i) say("%02x", reduced[i]);
    say(" ");
  }
  MPI_Allreduce(NULL, NULL, 0, MPI_BYTE, MPI_BXOR, MPI_COMM_WORLD);
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
