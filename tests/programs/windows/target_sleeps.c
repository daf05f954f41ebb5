// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Rank 0 sleeps while all others put data into its memory and get it back: nobody waits until it wakes. With the
// argument `atomics`, they lock it, count in it and swap, too: the machine's engine must be able to.
#include <string.h>
#include <time.h>

#include "program.h"

enum { WORDS = 300, SLEEP_S = 2 };

/** Count on from 0. Returns how often that went wrong. */
static int change(MPI_Win win) {
  const int one = 1;
  int before, swapped, now;
  int wrong = 0;
  for (int turn = 0; turn < 3; ++turn) {
    MPI_Fetch_and_op(&one, &before, MPI_INT, 0, turn, MPI_SUM, win);
    MPI_Win_flush(0, win);
    do {
      const int next = before + 10;
      MPI_Compare_and_swap(&next, &before, &swapped, MPI_INT, 0, turn, win);
      MPI_Win_flush(0, win);
      now = swapped == before;
      before = swapped;
    } while (!now);
    MPI_Accumulate(&one, 1, MPI_INT, 0, turn, 1, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT, &now, 1, MPI_INT, 0, turn, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Win_flush(0, win);
    wrong += now < 12;
  }
  return wrong;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  const int ranks = all_ranks();
  int* memory;  // words of each rank
  MPI_Win win;
  MPI_Win_allocate((MPI_Aint)sizeof(int) * ranks * WORDS, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < ranks * WORDS; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const int atomics = argc > 1 && strcmp(argv[1], "atomics") == 0;
  if (!atomics) MPI_Win_lock_all(0, win);  // by messages, which rank 0 sees to before it sleeps
  MPI_Barrier(MPI_COMM_WORLD);
  int wrong = 0;
  const double begin = MPI_Wtime();
  if (rank == 0) {
    nanosleep(&(struct timespec){.tv_sec = SLEEP_S}, NULL);
    MPI_Win_sync(win);
    const int count = 12 * (ranks - 1);
    for (int turn = 0; turn < 3 && atomics; ++turn) wrong += memory[turn] != count;
    for (int other = 1; other < ranks; ++other) {
      for (int i = 0; i < WORDS; ++i) wrong += memory[other * WORDS + i] != other * 1000 + i;
    }
  } else {
    if (atomics) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    int sent[WORDS], got[WORDS];
    for (int i = 0; i < WORDS; ++i) sent[i] = rank * 1000 + i;
    const MPI_Aint mine = (MPI_Aint)rank * WORDS;
    MPI_Put(sent, WORDS, MPI_INT, 0, mine, WORDS, MPI_INT, win);
    MPI_Win_flush(0, win);
    MPI_Get(got, WORDS, MPI_INT, 0, mine, WORDS, MPI_INT, win);
    MPI_Win_flush(0, win);
    for (int i = 0; i < WORDS; ++i) wrong += got[i] != sent[i];
    if (atomics) {
      wrong += change(win);
      MPI_Win_unlock(0, win);
    }
    wrong += MPI_Wtime() - begin > 0.75 * SLEEP_S;
  }
  if (!atomics) MPI_Win_unlock_all(win);
  say("%d\n", wrong);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
