// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Accesses with requests: each is waited for by itself, and many by one call.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  double* memory;
  MPI_Win win;
  MPI_Win_allocate(17 * 4 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < 17 * 4; ++i) memory[i] = rank * 100 + i;
  MPI_Barrier(MPI_COMM_WORLD);
  double got[17][4], mine[4] = {1, 2, 3, 4}, fetched[4];
  MPI_Request requests[17];
  MPI_Win_lock_all(0, win);
  for (int r = 0; r < ranks; ++r) MPI_Rget(got[r], 4, MPI_DOUBLE, r, 4 * rank, 4, MPI_DOUBLE, win, &requests[r]);
  MPI_Waitall(ranks, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  const int target = (rank + 2) % ranks;
  MPI_Raccumulate(mine, 4, MPI_DOUBLE, target, 4 * rank, 4, MPI_DOUBLE, MPI_SUM, win, &requests[0]);
  int flag = 0;
  while (!flag) MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  MPI_Win_flush(target, win);
  MPI_Rget_accumulate(mine, 4, MPI_DOUBLE, fetched, 4, MPI_DOUBLE, target, 4 * rank, 4, MPI_DOUBLE, MPI_REPLACE, win,
                      &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Rput(mine, 1, MPI_DOUBLE, target, 4 * rank + 3, 1, MPI_DOUBLE, win, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  double sum = 0;
  for (int r = 0; r < ranks; ++r) sum += got[r][0] + got[r][3];
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  const int from = (rank + 2 * ranks - 2) % ranks;
  say("%.0f, %.0f %.0f, %.0f %.0f\n", sum, fetched[0], fetched[3], memory[4 * from], memory[4 * from + 3]);
  MPI_Win_unlock(rank, win);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
