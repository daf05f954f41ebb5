// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Two windows over one memory, with other units and other groups; each is synchronized by itself.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int memory[8] = {0};
  MPI_Comm backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  MPI_Win one, two;
  MPI_Win_create(memory, 4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &one);
  MPI_Win_create(memory + 4, 4 * sizeof(int), 1, MPI_INFO_NULL, backwards, &two);
  MPI_Win_fence(0, one);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % ranks, 1, 1, MPI_INT, one);
  MPI_Win_fence(0, one);
  MPI_Win_fence(0, two);
  MPI_Put(&rank, 1, MPI_INT, rank, 8, 1, MPI_INT, two);
  MPI_Win_fence(0, two);
  say("%d %d\n", memory[1], memory[6]);
  MPI_Win_set_name(one, "first");
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  MPI_Win_get_name(one, name, &length);
  say("%s %d", name, length);
  MPI_Win_get_name(two, name, &length);
  say(" [%s]\n", name);
  MPI_Win_free(&two);
  MPI_Win_free(&one);
  MPI_Comm_free(&backwards);
  say_all();
  MPI_Finalize();
  return 0;
}
