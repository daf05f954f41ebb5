// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Each rank chooses its own unit of displacement; the target's counts.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  unsigned char memory[64] = {0};
  MPI_Win win;
  const int unit = rank % 3 == 0 ? 1 : rank % 3 == 1 ? 4 : 8;
  MPI_Win_create(memory, sizeof memory, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  const int right = (rank + 1) % ranks;
  const int value = 0x01010101 * (rank + 1);
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_INT, right, 4, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 64; i += 4) say("%02x", memory[i]);
  void* base;
  MPI_Aint* size;
  int *unit_again, *kind, *model, flag;
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
  MPI_Win_get_attr(win, MPI_WIN_SIZE, &size, &flag);
  MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit_again, &flag);
  MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &kind, &flag);
  MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
  say(" %d %ld %d %d %d\n", base == memory, (long)*size, *unit_again, *kind == MPI_WIN_FLAVOR_CREATE,
      *model == MPI_WIN_UNIFIED || *model == MPI_WIN_SEPARATE);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
