// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Memory is attached to a window while it exists; its address is told to the others, who read and write there.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  int* parts[3];
  MPI_Aint places[3], theirs[3];
  for (int i = 0; i < 3; ++i) {
    parts[i] = allocate((size_t)(4 + i) * sizeof(int));
    for (int k = 0; k < 4 + i; ++k) parts[i][k] = rank * 100 + i * 10 + k;
    MPI_Win_attach(win, parts[i], (MPI_Aint)((size_t)(4 + i) * sizeof(int)));
    MPI_Get_address(parts[i], &places[i]);
  }
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Sendrecv(places, 3, MPI_AINT, left, 0, theirs, 3, MPI_AINT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int got[3] = {0}, value = -rank - 1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win);
  for (int i = 0; i < 3; ++i) {
    MPI_Get(&got[i], 1, MPI_INT, right, MPI_Aint_add(theirs[i], (MPI_Aint)((size_t)i * sizeof(int))), 1, MPI_INT, win);
  }
  MPI_Put(&value, 1, MPI_INT, right, MPI_Aint_add(theirs[2], 5 * (MPI_Aint)sizeof(int)), 1, MPI_INT, win);
  MPI_Win_unlock(right, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  say("%d %d %d, %d\n", got[0], got[1], got[2], parts[2][5]);
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) {
    MPI_Win_detach(win, parts[i]);
    free(parts[i]);
  }
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
