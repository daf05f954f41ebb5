// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Accumulation of pairs: where the largest and the smallest value of all ranks is.
#include "program.h"

struct place {
  double value;
  int rank;
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  struct {
    int value;
    int rank;
  } memory[2] = {{-1, -1}, {1000000, -1}}, given;
  struct place reals[1] = {{-1.0, -1}};
  MPI_Win win, real_win;
  MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_create(reals, sizeof reals, sizeof reals[0], MPI_INFO_NULL, MPI_COMM_WORLD, &real_win);
  MPI_Win_fence(0, win);
  MPI_Win_fence(0, real_win);
  given.value = (rank * 7 + 3) % 13;
  given.rank = rank;
  const struct place real = {.value = 0.5 * ((rank * 5 + 1) % 11), .rank = rank};
  for (int target = 0; target < ranks; ++target) {
    MPI_Accumulate(&given, 1, MPI_2INT, target, 0, 1, MPI_2INT, MPI_MAXLOC, win);
    MPI_Accumulate(&given, 1, MPI_2INT, target, 1, 1, MPI_2INT, MPI_MINLOC, win);
    MPI_Accumulate(&real, 1, MPI_DOUBLE_INT, target, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, real_win);
  }
  MPI_Win_fence(0, win);
  MPI_Win_fence(0, real_win);
  say("%d at %d, %d at %d, %.1f at %d\n", memory[0].value, memory[0].rank, memory[1].value, memory[1].rank,
      reals[0].value, reals[0].rank);
  MPI_Win_free(&win);
  MPI_Win_free(&real_win);
  say_all();
  MPI_Finalize();
  return 0;
}
