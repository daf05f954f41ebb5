// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// One window has sums of doubles, counters, a mutex made of compare-and-swap, and integers that other operations
// combine, all at once; in a second round, the program says that it combines many elements at a time.
#include "program.h"

enum { DOUBLES = 5, LONGS = 3, UNSIGNED = 4, MASKS = 9, WORDS = 40, TURNS = 3 };
enum { COUNTER = 6, MUTEX = 7, GUARDED = 8, PRODUCT = 10, LARGEST = 14, LEAST = 18, ODD = 20, LAST = 30 };

static void round_of_all(MPI_Info info) {
  const int rank = my_rank();
  const int ranks = all_ranks();
  double* memory;
  MPI_Win win;
  MPI_Win_allocate(WORDS * sizeof *memory, sizeof *memory, info, MPI_COMM_WORLD, &memory, &win);
  int64_t* const integers = (int64_t*)memory;
  for (int i = 0; i < WORDS; ++i) integers[i] = i >= PRODUCT && i < LARGEST ? 1 : 0;
  for (int i = 0; i < DOUBLES; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  int64_t drawn = 0;
  for (int turn = 0; turn < TURNS; ++turn) {
    double terms[DOUBLES];
    for (int i = 0; i < DOUBLES; ++i) terms[i] = rank + i * 0.5;
    MPI_Accumulate(terms, DOUBLES, MPI_DOUBLE, 0, 0, DOUBLES, MPI_DOUBLE, MPI_SUM, win);
    const int64_t step = 3;
    int64_t before;
    MPI_Fetch_and_op(&step, &before, MPI_INT64_T, 0, COUNTER, MPI_SUM, win);
    MPI_Win_flush(0, win);
    drawn += before;
    const int64_t taken = 1, open = 0;
    do {
      MPI_Compare_and_swap(&taken, &open, &before, MPI_INT64_T, 0, MUTEX, win);
      MPI_Win_flush(0, win);
    } while (before != open);
    int64_t value;
    MPI_Get(&value, 1, MPI_INT64_T, 0, GUARDED, 1, MPI_INT64_T, win);
    MPI_Win_flush(0, win);
    value += 7;
    MPI_Put(&value, 1, MPI_INT64_T, 0, GUARDED, 1, MPI_INT64_T, win);
    MPI_Win_flush(0, win);
    MPI_Accumulate(&open, 1, MPI_INT64_T, 0, MUTEX, 1, MPI_INT64_T, MPI_REPLACE, win);
    MPI_Win_flush(0, win);

    int64_t factors[LONGS], olds[LONGS];
    for (int i = 0; i < LONGS; ++i) factors[i] = 1 + (rank + i + turn) % 3;
    MPI_Get_accumulate(factors, LONGS, MPI_INT64_T, olds, LONGS, MPI_INT64_T, 0, PRODUCT, LONGS, MPI_INT64_T, MPI_PROD,
                       win);
    uint32_t large[2 * UNSIGNED];
    for (int i = 0; i < 2 * UNSIGNED; ++i) large[i] = (uint32_t)(rank * 37 + i * 11 + turn) * 2654435761U;
    MPI_Accumulate(large, 2 * UNSIGNED, MPI_UINT32_T, 0, LARGEST, 2 * UNSIGNED, MPI_UINT32_T, MPI_MAX, win);
    int least[2] = {-rank - turn, rank - 5};
    MPI_Accumulate(least, 2, MPI_INT, 0, LEAST, 2, MPI_INT, MPI_MIN, win);
    // Every other element of an array of ints.
    MPI_Datatype every_other;
    MPI_Type_vector(MASKS, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    int masks[MASKS];
    for (int i = 0; i < MASKS; ++i) masks[i] = 1 << (rank + i + turn) % 30;
    MPI_Accumulate(masks, MASKS, MPI_INT, 0, ODD, 1, every_other, MPI_BOR, win);
    const int flip = 1;
    MPI_Accumulate(&flip, 1, MPI_INT, 0, LAST, 1, MPI_INT, MPI_LXOR, win);
    MPI_Win_flush(0, win);
    for (int i = 0; i < LONGS; ++i) drawn += olds[i] < 1;
    MPI_Type_free(&every_other);
  }
  MPI_Win_unlock_all(win);
  int64_t sum;
  MPI_Reduce(&drawn, &sum, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    say("drawn %ld of %d\n", (long)sum, 3 * (TURNS * ranks) * (TURNS * ranks - 1) / 2);
    for (int i = 0; i < DOUBLES; ++i) say("%g ", memory[i]);
    for (int i = DOUBLES; i < WORDS; ++i) say("%llx ", (unsigned long long)integers[i]);
    say("\n");
    MPI_Win_unlock(0, win);
  }
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  round_of_all(MPI_INFO_NULL);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_accumulate_granularity", "4096");
  round_of_all(info);
  MPI_Info_free(&info);
  say_all();
  MPI_Finalize();
  return 0;
}
