// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// All predefined operations as accumulations of all ranks into one, and MPI_REPLACE of one.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  enum { OPS = 10 };
  const MPI_Op ops[OPS] = {MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN, MPI_BAND,
                           MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};
  int memory[OPS + 1];
  for (int i = 0; i < OPS; ++i) memory[i] = i == 1 ? 1 : i + 3;
  memory[OPS] = -1;
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  int mine[OPS];
  for (int i = 0; i < OPS; ++i) {
    mine[i] = i == 1 ? 1 + (rank % 3 == 1) : rank * 5 + i;
    MPI_Accumulate(&mine[i], 1, MPI_INT, ranks / 2, i, 1, MPI_INT, ops[i], win);
  }
  if (rank == ranks - 1) MPI_Accumulate(&rank, 1, MPI_INT, 0, OPS, 1, MPI_INT, MPI_REPLACE, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i <= OPS; ++i) say(" %d", memory[i]);
  say("\n");
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
