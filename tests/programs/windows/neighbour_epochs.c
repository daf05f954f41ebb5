// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Post, start, complete and wait between neighbours only, with values that go round the ring.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int cell[2] = {rank + 1, 0};
  MPI_Win win;
  MPI_Win_create(cell, sizeof cell, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Group world, from, to;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Group_incl(world, 1, &left, &from);
  MPI_Group_incl(world, 1, &right, &to);
  for (int turn = 0; turn < ranks + 2; ++turn) {
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(&cell[0], 1, MPI_INT, right, 1, 1, MPI_INT, win);
    MPI_Win_complete(win);
    if (turn % 2 == 0) {
      MPI_Win_wait(win);
    } else {
      int flag = 0;
      while (!flag) MPI_Win_test(win, &flag);
    }
    cell[0] = cell[1] + turn;
  }
  say("%d\n", cell[0]);
  MPI_Group_free(&world);
  MPI_Group_free(&from);
  MPI_Group_free(&to);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
