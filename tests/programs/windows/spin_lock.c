// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A mutex made of compare-and-swap guards a counter that is read and written in two steps.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int ranks = all_ranks();
  int* memory;  // the mutex, the counter
  MPI_Win win;
  MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = memory[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  const int open = 0, taken = 1;
  for (int turn = 0; turn < 3; ++turn) {
    int before;
    do {
      MPI_Compare_and_swap(&taken, &open, &before, MPI_INT, 0, 0, win);
      MPI_Win_flush(0, win);
    } while (before != open);
    int value;
    MPI_Get(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    value = value + 1;
    MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    MPI_Fetch_and_op(&open, &before, MPI_INT, 0, 0, MPI_REPLACE, win);
    MPI_Win_flush(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  int total;
  MPI_Get(&total, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
  MPI_Win_unlock_all(win);
  say("%d\n", total - 3 * ranks);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
