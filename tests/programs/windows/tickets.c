// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Ranks draw numbers from a counter by compare-and-swap, until each of them has its share: no number is drawn twice.
#include "program.h"

enum { SHARE = 5, MOST = 17 * SHARE };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int* counter;
  MPI_Win win;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  *counter = 0;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  char mine[MOST] = {0}, all[MOST];
  MPI_Win_lock_all(0, win);
  int expected = 0, drawn = 0, backwards = 0;
  while (drawn < SHARE) {
    const int next = expected + 1;
    int found;
    MPI_Compare_and_swap(&next, &expected, &found, MPI_INT, 0, 0, win);
    MPI_Win_flush(0, win);
    if (found == expected) {
      mine[found] = 1;
      ++drawn;
      expected = next;
    } else {
      backwards += found < expected;
      expected = found;
    }
  }
  MPI_Win_unlock_all(win);
  MPI_Reduce(mine, all, MOST, MPI_SIGNED_CHAR, MPI_SUM, 0, MPI_COMM_WORLD);
  int once = 0;
  for (int i = 0; rank == 0 && i < ranks * SHARE; ++i) once += all[i] == 1;
  if (rank == 0) say("%d of %d numbers drawn once\n", once, ranks * SHARE);
  say("%d\n", backwards);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
