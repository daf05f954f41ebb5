// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Wrong accesses and synchronizations have their error classes, and leave the window usable.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int memory[4] = {0}, value = 1, class;
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  MPI_Error_class(MPI_Put(&value, 1, MPI_INT, ranks, 0, 1, MPI_INT, win), &class);
  say("rank %d", class == MPI_ERR_RANK);
  MPI_Error_class(MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, win), &class);
  say(", count %d", class == MPI_ERR_COUNT);
  MPI_Error_class(MPI_Put(&value, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win), &class);
  say(", type %d", class == MPI_ERR_TYPE);
  MPI_Error_class(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win), &class);
  say(", operation %d\n", class == MPI_ERR_OP);
  MPI_Put(&value, 1, MPI_INT, rank, 2, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  say("%d\n", memory[2]);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
