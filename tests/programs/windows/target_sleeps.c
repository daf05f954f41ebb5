// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Rank 0 sleeps while all others put data into its memory and get it back: nobody waits until it wakes.
#include <time.h>

#include "program.h"

enum { WORDS = 300, SLEEP_S = 2 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  const int ranks = all_ranks();
  int* memory;  // words of each rank
  MPI_Win win;
  MPI_Win_allocate((MPI_Aint)sizeof(int) * ranks * WORDS, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < ranks * WORDS; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  int wrong = 0;
  const double begin = MPI_Wtime();
  if (rank == 0) {
    nanosleep(&(struct timespec){.tv_sec = SLEEP_S}, NULL);
    MPI_Win_sync(win);
    for (int other = 1; other < ranks; ++other) {
      for (int i = 0; i < WORDS; ++i) wrong += memory[other * WORDS + i] != other * 1000 + i;
    }
  } else {
    int sent[WORDS], got[WORDS];
    for (int i = 0; i < WORDS; ++i) sent[i] = rank * 1000 + i;
    const MPI_Aint mine = (MPI_Aint)rank * WORDS;
    MPI_Put(sent, WORDS, MPI_INT, 0, mine, WORDS, MPI_INT, win);
    MPI_Win_flush(0, win);
    MPI_Get(got, WORDS, MPI_INT, 0, mine, WORDS, MPI_INT, win);
    MPI_Win_flush(0, win);
    for (int i = 0; i < WORDS; ++i) wrong += got[i] != sent[i];
    wrong += MPI_Wtime() - begin > 0.75 * SLEEP_S;
  }
  MPI_Win_unlock_all(win);
  say("%d\n", wrong);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
