// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Random accesses in random epochs, which each rank also carries out one after another on memory of its own: what is in
// the windows, and what was fetched, must be the same.
#include "program.h"

enum { EPOCHS = 12, ACCESSES = 4, MOST_WORDS = 4, MOST_RANKS = 17, PART = MOST_RANKS * ACCESSES, WORDS = 3 * PART };
enum kind { PUT, GET, ADD, FETCH_AND_ADD, KINDS };
enum way { FENCE, LOCK_ALL, LOCK, WAYS };

/** What all ranks hold, as it must be. */
static int64_t model[MOST_RANKS][WORDS];

/** Accesses that a rank makes in an epoch. Each has buffers of its own, which stay as they are until the epoch ends. */
static struct {
  int count;
  bool fetches;
  int64_t given[MOST_WORDS], got[MOST_WORDS], expected[MOST_WORDS];
} accesses[ACCESSES];

static int below(uint64_t* state, int limit) { return (int)(next_random(state) % (uint32_t)limit); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int64_t* memory;
  MPI_Win win;
  MPI_Win_allocate(WORDS * (MPI_Aint)sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int r = 0; r < ranks; ++r) {
    for (int i = 0; i < WORDS; ++i) model[r][i] = 100 * r + i;
  }
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  memcpy(memory, model[rank], sizeof model[rank]);
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  uint64_t state = 4242;  // all ranks draw the same
  int wrong = 0, fetched = 0;
  for (int epoch = 0; epoch < EPOCHS; ++epoch) {
    // In an epoch a part of each window is added to, one is read, and in one each word has one writer at most. Which
    // ones these are changes from epoch to epoch.
    const int added = epoch % 3 * PART, read = (epoch + 1) % 3 * PART, written = (epoch + 2) % 3 * PART;
    const enum way way = (enum way)below(&state, WAYS);
    if (way == FENCE) MPI_Win_fence(0, win);
    if (way == LOCK_ALL) MPI_Win_lock_all(0, win);
    for (int origin = 0; origin < ranks; ++origin) {
      for (int i = 0; i < ACCESSES; ++i) {
        const enum kind kind = (enum kind)below(&state, KINDS);
        const int target = below(&state, ranks);
        int count = 1 + below(&state, MOST_WORDS);
        int place = below(&state, PART - count + 1) + (kind == GET ? read : added);
        const int64_t value = (int64_t)next_random(&state);
        if (kind == PUT) {
          count = 1;
          place = written + origin * ACCESSES + i;
        }
        if (kind == FETCH_AND_ADD) {  // others would see it before or after their own
          count = 1;
          place = added + PART - 1;
        }
        int64_t* const there = &model[target][place];
        if (origin == rank) {
          accesses[i].count = count;
          accesses[i].fetches = kind == GET;
          for (int k = 0; k < count; ++k) accesses[i].given[k] = value + k;
          memcpy(accesses[i].expected, there, (size_t)count * sizeof *there);
          const int64_t* const given = accesses[i].given;
          int64_t* const got = accesses[i].got;
          if (way == LOCK) MPI_Win_lock(i % 2 == 0 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win);
          if (kind == PUT) MPI_Put(given, count, MPI_INT64_T, target, place, count, MPI_INT64_T, win);
          if (kind == GET) MPI_Get(got, count, MPI_INT64_T, target, place, count, MPI_INT64_T, win);
          if (kind == ADD) MPI_Accumulate(given, count, MPI_INT64_T, target, place, count, MPI_INT64_T, MPI_SUM, win);
          if (kind == FETCH_AND_ADD) MPI_Fetch_and_op(given, got, MPI_INT64_T, target, place, MPI_SUM, win);
          if (way == LOCK) MPI_Win_unlock(target, win);
          fetched += kind == GET;
        }
        for (int k = 0; k < count; ++k) {
          if (kind == PUT) there[k] = value + k;
          if (kind == ADD || kind == FETCH_AND_ADD) there[k] += value + k;
        }
      }
    }
    if (way == FENCE) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (way == LOCK_ALL) MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ACCESSES; ++i) {
      if (!accesses[i].fetches) continue;
      wrong += memcmp(accesses[i].got, accesses[i].expected, (size_t)accesses[i].count * sizeof(int64_t)) != 0;
    }
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    wrong += memcmp(memory, model[rank], sizeof model[rank]) != 0;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  say("%d wrong, %d fetched, %08x\n", wrong, fetched, checksum(model[rank], sizeof model[rank]));
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
