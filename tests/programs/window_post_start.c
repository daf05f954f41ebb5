// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Windows with post, start, complete and wait: both neighbours write and read, several times, also tested for the end.
#include "program.h"

enum { LONG = 2000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int* memory = allocate(2 * LONG * sizeof(int));
  static int out[LONG];
  MPI_Win win;
  MPI_Win_create(memory, 2 * LONG * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Group world, before, after;
  MPI_Win_get_group(win, &world);
  MPI_Group_incl(world, 1, &left, &before);
  MPI_Group_incl(world, 1, &right, &after);
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < LONG; ++i) out[i] = rank * 100 + round + i;
    MPI_Win_post(before, 0, win);
    MPI_Win_start(after, 0, win);
    MPI_Put(out, LONG, MPI_INT, right, 0, LONG, MPI_INT, win);
    MPI_Put(&round, 1, MPI_INT, right, LONG + round, 1, MPI_INT, win);
    int seen = -1;
    MPI_Get(&seen, 1, MPI_INT, right, LONG + 9, 1, MPI_INT, win);
    MPI_Win_complete(win);
    if (round % 2 == 0) {
      MPI_Win_wait(win);
    } else {
      int flag = 0;
      while (!flag) MPI_Win_test(win, &flag);
    }
    say("round %d: %d %d, saw %d\n", round, memory[0] == left * 100 + round,
        memory[LONG - 1] == left * 100 + round + LONG - 1, seen);
    say("%d\n", memory[LONG + round]);
    memory[LONG + 9] = round + 1;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  // All write to rank 0, which writes nothing.
  if (rank == 0) {
    MPI_Win_post(world, 0, win);
  }
  const int zero = 0;
  MPI_Group first;
  MPI_Group_incl(world, 1, &zero, &first);
  MPI_Win_start(first, 0, win);
  MPI_Put(&rank, 1, MPI_INT, 0, 50 + rank, 1, MPI_INT, win);
  MPI_Win_complete(win);
  if (rank == 0) {
    MPI_Win_wait(win);
    for (int r = 0; r < ranks; ++r) say(" %d", memory[50 + r]);
    say("\n");
  }
  MPI_Group_free(&world);
  MPI_Group_free(&before);
  MPI_Group_free(&after);
  MPI_Group_free(&first);
  MPI_Win_free(&win);
  free(memory);
  say_all();
  MPI_Finalize();
  return 0;
}
