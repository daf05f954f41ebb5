// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Windows with locks: counters that all ranks add to, exclusive and shared, atomic operations, flushes, requests.
#include "program.h"

enum { TURNS = 5 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memset(memory, 0, 64 * sizeof(int));
  MPI_Barrier(MPI_COMM_WORLD);
  // Read, add one, write back: right only if the lock is exclusive.
  for (int i = 0; i < TURNS; ++i) {
    int value;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    value += 1;
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
  }
  // Numbers that are drawn once each.
  const int one = 1;
  int drawn[TURNS], last = -1, rising = 0;
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < TURNS; ++i) {
    MPI_Fetch_and_op(&one, &drawn[i], MPI_INT, 0, 1, MPI_SUM, win);
    MPI_Win_flush_local(0, win);
    rising += drawn[i] > last;
    last = drawn[i];
  }
  MPI_Accumulate(&last, 1, MPI_INT, ranks - 1, 2, 1, MPI_INT, MPI_MAX, win);
  MPI_Win_flush_all(win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  if (rank == 0) say("counted %d, drawn %d\n", memory[0], memory[1]);
  if (rank == ranks - 1) say("largest %d\n", memory[2]);
  MPI_Win_unlock(rank, win);
  say("rising %d\n", rising);
  // One rank alone wins.
  const int unset = 0, mine = rank + 1;
  int before, winner;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Compare_and_swap(&mine, &unset, &before, MPI_INT, 0, 5, win);
  MPI_Win_flush(0, win);
  MPI_Fetch_and_op(NULL, &winner, MPI_INT, 0, 5, MPI_NO_OP, win);
  MPI_Win_unlock(0, win);
  int won = before == 0, all_won, lowest, highest;
  MPI_Reduce(&won, &all_won, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&winner, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&winner, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) say("winners %d, agreed %d\n", all_won, lowest == highest);
  // Accesses with requests, in an epoch for all.
  MPI_Request requests[4];
  int data[4] = {rank, rank + 1, rank + 2, rank + 3}, got[4] = {0}, fetched[2] = {0};
  const int right = (rank + 1) % ranks;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Rput(data, 4, MPI_INT, right, 10, 4, MPI_INT, win, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Win_flush(right, win);
  MPI_Rget(got, 4, MPI_INT, right, 10, 4, MPI_INT, win, &requests[0]);
  MPI_Raccumulate(data, 2, MPI_INT, right, 20, 2, MPI_INT, MPI_SUM, win, &requests[1]);
  MPI_Rget_accumulate(data, 2, MPI_INT, fetched, 2, MPI_INT, right, 20, 2, MPI_INT, MPI_SUM, win, &requests[2]);
  MPI_Rput(data, 0, MPI_INT, MPI_PROC_NULL, 0, 0, MPI_INT, win, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Get_accumulate(NULL, 0, MPI_INT, fetched + 1, 1, MPI_INT, right, 21, 1, MPI_INT, MPI_NO_OP, win);
  MPI_Win_flush_local_all(win);
  MPI_Win_unlock_all(win);
  say("got %d, fetched %d %d\n", got[0] == rank && got[3] == rank + 3, fetched[0] == rank,
      fetched[1] == 2 * (rank + 1));
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
