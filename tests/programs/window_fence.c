// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Windows with fences: puts, gets and accumulates to all ranks, short and long, with strides, within assertions.
#include "program.h"

enum { LONG = 3000, BLOCK = 8 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int* memory = allocate((size_t)(LONG + ranks * BLOCK) * sizeof(int));
  MPI_Win win;
  MPI_Win_create(memory, (LONG + ranks * BLOCK) * (int)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  static int out[LONG], in[LONG];
  int small[64][BLOCK];
  for (int i = 0; i < LONG; ++i) out[i] = rank * 10000 + i;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Put(out, LONG, MPI_INT, right, 0, LONG, MPI_INT, win);
  for (int r = 0; r < ranks; ++r) {
    for (int i = 0; i < BLOCK; ++i) small[r][i] = rank * 100 + r + i;
    MPI_Put(small[r], BLOCK, MPI_INT, r, LONG + rank * BLOCK, BLOCK, MPI_INT, win);
  }
  MPI_Win_fence(0, win);
  int right_ones = 0;
  for (int i = 0; i < LONG; ++i) right_ones += memory[i] == left * 10000 + i;
  for (int r = 0; r < ranks; ++r) {
    for (int i = 0; i < BLOCK; ++i) right_ones += memory[LONG + r * BLOCK + i] == r * 100 + rank + i;
  }
  say("rank %d: %d of %d\n", rank, right_ones, LONG + ranks * BLOCK);
  // Everybody reads from the left, and short blocks from all.
  MPI_Win_fence(0, win);
  MPI_Get(in, LONG, MPI_INT, left, 0, LONG, MPI_INT, win);
  for (int r = 0; r < ranks; ++r) MPI_Get(small[r], 2, MPI_INT, r, LONG + rank * BLOCK, 2, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win);
  const int before = (left + ranks - 1) % ranks;
  right_ones = 0;
  for (int i = 0; i < LONG; ++i) right_ones += in[i] == before * 10000 + i;
  for (int r = 0; r < ranks; ++r) right_ones += small[r][1] == rank * 100 + r + 1;
  say("got %d\n", right_ones);
  // Sums at rank 0, of all ranks: long and short, an operation without a sum, a put by MPI_REPLACE.
  memset(memory, 0, (size_t)(LONG + ranks * BLOCK) * sizeof(int));
  MPI_Win_fence(0, win);
  for (int i = 0; i < LONG; ++i) out[i] = rank + i;
  MPI_Accumulate(out, LONG, MPI_INT, 0, 0, LONG, MPI_INT, MPI_SUM, win);
  MPI_Accumulate(out, 2, MPI_INT, 0, LONG, 2, MPI_INT, MPI_MAX, win);
  MPI_Accumulate(out + 7, 1, MPI_INT, right, LONG + 3, 1, MPI_INT, MPI_REPLACE, win);
  MPI_Win_fence(0, win);
  if (rank == 0) {
    right_ones = 0;
    for (int i = 0; i < LONG; ++i) right_ones += memory[i] == ranks * (ranks - 1) / 2 + ranks * i;
    say("sums %d, maximum %d %d\n", right_ones, memory[LONG], memory[LONG + 1]);
  }
  say("replaced %d\n", memory[LONG + 3] == left + 7);
  // Every third element, on one side and on both.
  MPI_Datatype third;
  MPI_Type_vector(20, 1, 3, MPI_INT, &third);
  MPI_Type_commit(&third);
  memset(memory, 0, LONG * sizeof(int));
  memset(in, 0, sizeof in);
  MPI_Win_fence(0, win);
  MPI_Put(out, 20, MPI_INT, right, 0, 1, third, win);
  MPI_Put(out, 1, third, right, 100, 1, third, win);
  MPI_Accumulate(out, 20, MPI_INT, left, 200, 1, third, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Get(in, 1, third, right, 0, 1, third, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  say("strided %d %d %d %d %d %d, back %d %d\n", memory[0] == left, memory[1], memory[57] == left + 19,
      memory[103] == left + 3, memory[203] == right + 1, memory[204], in[3] == rank + 1, in[4]);
  // The largest value and who has it, every third of them.
  struct {
    double value;
    int rank;
  } pairs[6], best = {rank * 7 % 5, rank};
  for (int i = 0; i < 6; ++i) pairs[i].value = pairs[i].rank = -1;
  MPI_Win places;
  MPI_Win_create(pairs, sizeof pairs, sizeof pairs[0], MPI_INFO_NULL, MPI_COMM_WORLD, &places);
  MPI_Datatype spread;
  MPI_Type_vector(2, 1, 3, MPI_DOUBLE_INT, &spread);
  MPI_Type_commit(&spread);
  MPI_Win_fence(0, places);
  MPI_Accumulate(&best, 1, MPI_DOUBLE_INT, 0, 1, 1, MPI_DOUBLE_INT, MPI_MAXLOC, places);
  struct {
    double value;
    int rank;
  } both[2] = {{rank, rank}, {-rank, rank}};
  MPI_Accumulate(both, 2, MPI_DOUBLE_INT, 0, 2, 1, spread, MPI_MAXLOC, places);
  MPI_Win_fence(0, places);
  for (int i = 0; i < 6; ++i) say(" %g %d", pairs[i].value, pairs[i].rank);
  say("\n");
  MPI_Type_free(&spread);
  MPI_Win_free(&places);
  MPI_Type_free(&third);
  MPI_Win_free(&win);
  say("freed %d\n", win == MPI_WIN_NULL);
  free(memory);
  say_all();
  MPI_Finalize();
  return 0;
}
