// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Accumulates of integers of which one is not aligned, and of the others alone, by the same rank in their order and by
// all ranks at once: the engine changes those that are aligned, whoever asks.
#include "program.h"

enum { ALIGNED = 64, WORDS = ALIGNED + 1, TURNS = 12, FIRST = 8, ODD = FIRST + 4 * ALIGNED + 2, BYTES = ODD + 6 };

static void show(const char* what, const int* values) {
  long sum = 0;
  for (int i = 0; i < ALIGNED; ++i) sum += (i + 1) * (long)values[i];
  say("%s %d %d %ld %d\n", what, values[0], values[ALIGNED - 1], sum, values[ALIGNED]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  char* memory;
  MPI_Win win;
  MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  const int lengths[2] = {ALIGNED, 1};
  const MPI_Aint places[2] = {FIRST, ODD};
  MPI_Datatype mixed, spread;
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &mixed);
  MPI_Type_commit(&mixed);
  MPI_Type_vector(WORDS, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  memset(memory, 0, BYTES);
  MPI_Barrier(MPI_COMM_WORLD);

  MPI_Win_lock_all(0, win);
  int mine[WORDS], found[2 * WORDS];
  for (int i = 0; i < WORDS; ++i) mine[i] = i + rank;
  if (rank == ranks - 1) {
    // Accumulates of one rank to one place are done in their order.
    int before[2];
    MPI_Accumulate(mine, WORDS, MPI_INT, 0, 0, 1, mixed, MPI_SUM, win);
    MPI_Fetch_and_op(NULL, before, MPI_INT, 0, FIRST + 4, MPI_NO_OP, win);
    MPI_Accumulate(mine, WORDS, MPI_INT, 0, 0, 1, mixed, MPI_REPLACE, win);
    MPI_Fetch_and_op(mine, before + 1, MPI_INT, 0, FIRST + 8, MPI_SUM, win);
    MPI_Win_flush(0, win);
    say("in order %d %d\n", before[0], before[1]);
    for (int i = 0; i < WORDS; ++i) found[i] = 0;
    MPI_Accumulate(found, WORDS, MPI_INT, 0, 0, 1, mixed, MPI_REPLACE, win);
    MPI_Win_flush(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int turn = 0; turn < TURNS; ++turn) {
    if (rank % 2 == 1) {
      MPI_Accumulate(mine, ALIGNED, MPI_INT, 0, FIRST, ALIGNED, MPI_INT, MPI_SUM, win);
    } else if (turn % 4 == 1) {
      memset(found, 0, sizeof found);
      MPI_Get_accumulate(mine, WORDS, MPI_INT, found, 1, spread, 0, 0, 1, mixed, MPI_SUM, win);
      MPI_Win_flush(0, win);
      for (int i = 0; i < WORDS; ++i) {
        if (found[2 * i] < turn * mine[i] || found[2 * i + 1] != 0) say("wrong: word %d in turn %d\n", i, turn);
      }
    } else {
      MPI_Accumulate(mine, WORDS, MPI_INT, 0, 0, 1, mixed, MPI_SUM, win);
    }
  }
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == ranks - 1) {
    MPI_Get_accumulate(NULL, 0, MPI_INT, found, WORDS, MPI_INT, 0, 0, 1, mixed, MPI_NO_OP, win);
    MPI_Win_flush(0, win);
    show("sums", found);
    int other[2 * WORDS] = {0};
    for (int i = 0; i < WORDS; ++i) other[2 * i] = 3 * i - 7;
    MPI_Request request;
    MPI_Rget_accumulate(other, 1, spread, found, WORDS, MPI_INT, 0, 0, 1, mixed, MPI_REPLACE, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    show("before", found);
    // The engine has no product.
    MPI_Accumulate(mine, WORDS, MPI_INT, 0, 0, 1, mixed, MPI_PROD, win);
    MPI_Win_flush(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  if (rank == 0) {
    int left[WORDS];
    memcpy(left, memory + FIRST, sizeof left - sizeof left[0]);
    memcpy(left + ALIGNED, memory + ODD, sizeof left[0]);
    show("left", left);
  }
  MPI_Type_free(&mixed);
  MPI_Type_free(&spread);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
