// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Fetch-and-op and compare-and-swap of elements of 1, 2, 4 and 8 bytes, signed, unsigned and floating.
#include "program.h"

#define STEPS(type, name, first, second)                                \
  do {                                                                  \
    const type one = (type)(first), two = (type)(second);               \
    type got[4];                                                        \
    MPI_Fetch_and_op(&one, &got[0], name, target, 0, MPI_REPLACE, win); \
    MPI_Win_flush(target, win);                                         \
    MPI_Fetch_and_op(&two, &got[1], name, target, 0, MPI_SUM, win);     \
    MPI_Win_flush(target, win);                                         \
    MPI_Fetch_and_op(&two, &got[2], name, target, 0, MPI_MAX, win);     \
    MPI_Win_flush(target, win);                                         \
    MPI_Fetch_and_op(NULL, &got[3], name, target, 0, MPI_NO_OP, win);   \
    MPI_Win_flush(target, win);                                         \
    say("%g %g %g\n", (double)got[1], (double)got[2], (double)got[3]);  \
  } while (0)
#define SWAPS(type, name, from, to)                                             \
  do {                                                                          \
    const type set = (type)(from), next = (type)(to), other = (type)(from + 1); \
    type got[2];                                                                \
    MPI_Accumulate(&set, 1, name, target, 0, 1, name, MPI_REPLACE, win);        \
    MPI_Win_flush(target, win);                                                 \
    MPI_Compare_and_swap(&next, &other, &got[0], name, target, 0, win);         \
    MPI_Win_flush(target, win);                                                 \
    MPI_Compare_and_swap(&next, &set, &got[1], name, target, 0, win);           \
    MPI_Win_flush(target, win);                                                 \
    type left;                                                                  \
    MPI_Fetch_and_op(NULL, &left, name, target, 0, MPI_NO_OP, win);             \
    MPI_Win_flush(target, win);                                                 \
    say("%d %d %d\n", (int)got[0], (int)got[1], (int)left);                     \
  } while (0)

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  uint64_t* memory;
  MPI_Win win;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  const int target = (rank + 1) % ranks;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  *memory = 0;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
  STEPS(int8_t, MPI_INT8_T, 3 + rank, -4);
  STEPS(uint16_t, MPI_UINT16_T, 65535 - rank, 2);
  STEPS(int32_t, MPI_INT32_T, -7 * rank, 9);
  STEPS(uint64_t, MPI_UINT64_T, 1ULL << 40, rank);
  STEPS(float, MPI_FLOAT, 0.5 * rank, 0.25);
  STEPS(double, MPI_DOUBLE, 1e10 + rank, -0.5);
  SWAPS(int8_t, MPI_INT8_T, rank, -3);
  SWAPS(int16_t, MPI_INT16_T, -300, rank);
  SWAPS(uint32_t, MPI_UINT32_T, 70000 + rank, 5);
  SWAPS(int64_t, MPI_INT64_T, -5, rank);
  MPI_Win_unlock(target, win);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
