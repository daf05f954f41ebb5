// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Many communicators exist at once; collectives on each see only its own members.
#include "program.h"

enum { COUNT = 12 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  MPI_Comm parts[COUNT];
  for (int i = 0; i < COUNT; ++i) MPI_Comm_split(MPI_COMM_WORLD, rank % (i + 1), rank, &parts[i]);
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = COUNT - 1; i >= 0; --i) {
      int sum, value = rank + turn;
      MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, parts[i]);
      say(" %d", sum);
    }
  }
  say("\n");
  for (int i = 0; i < COUNT; ++i) MPI_Comm_free(&parts[i]);
  say_all();
  MPI_Finalize();
  return 0;
}
