// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// One rank exposes its memory to all others, each of which writes to its own place; then it reads theirs.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  long* memory;
  MPI_Win win;
  MPI_Win_allocate(17 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < 17; ++i) memory[i] = -1;
  MPI_Group world, centre, others;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int zero = 0;
  MPI_Group_incl(world, 1, &zero, &centre);
  MPI_Group_excl(world, 1, &zero, &others);
  long value = 10L * rank, seen[17] = {0};
  if (rank == 0) {
    MPI_Win_post(others, 0, win);
    MPI_Win_wait(win);
    MPI_Win_start(others, 0, win);
    for (int r = 1; r < ranks; ++r) MPI_Get(&seen[r], 1, MPI_LONG, r, 3, 1, MPI_LONG, win);
    MPI_Win_complete(win);
  } else {
    MPI_Win_start(centre, 0, win);
    MPI_Put(&value, 1, MPI_LONG, 0, rank, 1, MPI_LONG, win);
    MPI_Win_complete(win);
    memory[3] = 1000 + rank;
    MPI_Win_post(centre, MPI_MODE_NOPUT, win);
    MPI_Win_wait(win);
  }
  for (int r = 0; r < ranks; ++r) say(" %ld %ld", memory[r], seen[r]);
  say("\n");
  MPI_Group_free(&world);
  MPI_Group_free(&centre);
  MPI_Group_free(&others);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
