// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Reduce_scatter, MPI_Reduce_scatter_block, MPI_Exscan and MPI_Alltoallw, in place too, in rank order.
#include "program.h"

/** Composition of x -> a x + b, modulo 2^32: it does not commute. */
static void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  const uint32_t* first = in;
  uint32_t* second = inout;
  for (int i = 0; i < *length; ++i) {
    second[2 * i + 1] = first[2 * i] * second[2 * i + 1] + first[2 * i + 1];
    second[2 * i] *= first[2 * i];
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int counts[64], total = 0, mine[2000], result[2000];
  for (int r = 0; r < ranks; ++r) total += counts[r] = r % 4 * 7;
  for (int i = 0; i < total; ++i) mine[i] = rank * 100 + i;
  memset(result, 0, sizeof result);
  MPI_Reduce_scatter(mine, result, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("rank %d: %08x", rank, (unsigned)checksum(result, (size_t)(counts[rank] + 1) * sizeof(int)));
  MPI_Reduce_scatter(MPI_IN_PLACE, mine, counts, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  say(" %08x", (unsigned)checksum(mine, (size_t)counts[rank] * sizeof(int)));
  for (int i = 0; i < 50 * ranks; ++i) mine[i] = rank ^ i;
  MPI_Reduce_scatter_block(mine, result, 50, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
  say(" %08x", (unsigned)checksum(result, 50 * sizeof(int)));
  MPI_Reduce_scatter_block(MPI_IN_PLACE, mine, 50, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say(" %08x\n", (unsigned)checksum(mine, 50 * sizeof(int)));
  // Prefixes without one's own, in rank order.
  MPI_Op op;
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_UNSIGNED, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(compose, 0, &op);
  uint32_t line[6], before[6] = {9, 9, 9, 9, 9, 9}, blocks[128];
  for (int i = 0; i < 6; ++i) line[i] = (uint32_t)(rank * 6 + i) * 2654435761u | 1u;
  MPI_Exscan(line, before, 3, pair, op, MPI_COMM_WORLD);
  if (rank > 0) say("before %08x", (unsigned)checksum(before, sizeof before));
  MPI_Exscan(MPI_IN_PLACE, line, 3, pair, op, MPI_COMM_WORLD);
  if (rank > 0) say(" %08x\n", (unsigned)checksum(line, sizeof line));
  for (int i = 0; i < 2 * ranks; ++i) blocks[i] = (uint32_t)(rank * 64 + i) * 2654435761u | 1u;
  MPI_Reduce_scatter_block(blocks, before, 1, pair, op, MPI_COMM_WORLD);
  say("composed %08x %08x\n", (unsigned)before[0], (unsigned)before[1]);
  // Every rank sends others what they want: integers to even ranks, characters to odd ones.
  int sizes[64], places[64], in_sizes[64], in_places[64];
  MPI_Datatype types[64], in_types[64];
  static char out[64 * 8], in[64 * 8];
  memset(in, 0, sizeof in);
  for (int i = 0; i < 64 * 8; ++i) out[i] = (char)(rank + i);
  for (int r = 0; r < ranks; ++r) {
    types[r] = r % 2 ? MPI_CHAR : MPI_INT;
    sizes[r] = r % 2 ? 3 : 2;
    in_types[r] = rank % 2 ? MPI_CHAR : MPI_INT;
    in_sizes[r] = rank % 2 ? 3 : 2;
    places[r] = in_places[r] = 8 * r;
  }
  MPI_Alltoallw(out, sizes, places, types, in, in_sizes, in_places, in_types, MPI_COMM_WORLD);
  say("all %08x\n", (unsigned)checksum(in, sizeof in));
  for (int r = 0; r < ranks; ++r) {
    in_types[r] = MPI_SHORT;
    in_sizes[r] = (rank + r) % 4;
  }
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, in_sizes, in_places, in_types, MPI_COMM_WORLD);
  say("in place %08x\n", (unsigned)checksum(in, sizeof in));
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
  say_all();
  MPI_Finalize();
  return 0;
}
