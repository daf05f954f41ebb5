// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Type_vector: the column of a matrix in messages and collectives; what lies between its elements stays.
#include "program.h"

enum { ROWS = 5, COLUMNS = 4 };

static void clear(int* matrix, int value) {
  for (int i = 0; i < ROWS * COLUMNS; ++i) matrix[i] = value;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks(), to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  MPI_Datatype column, blocks, backwards;
  MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &column);
  MPI_Type_vector(3, 2, 5, MPI_INT, &blocks);
  MPI_Type_vector(3, 1, -2, MPI_INT, &backwards);
  MPI_Type_commit(&column);
  MPI_Type_commit(&blocks);
  MPI_Type_commit(&backwards);
  int size;
  MPI_Type_size(column, &size);
  say("rank %d: column of %d bytes\n", rank, size);

  int out[ROWS * COLUMNS], in[ROWS * COLUMNS];
  for (int i = 0; i < ROWS * COLUMNS; ++i) out[i] = rank * 100 + i;
  clear(in, -1);
  MPI_Sendrecv(&out[1], 1, column, to, 1, &in[2], 1, column, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("rank %d: column to column %08x\n", rank, (unsigned)checksum(in, sizeof in));
  clear(in, -1);
  MPI_Sendrecv(&out[3], 1, column, to, 2, in, ROWS, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("rank %d: column to row %d %d %d %d %d\n", rank, in[0], in[1], in[2], in[3], in[4]);
  clear(in, -1);
  MPI_Sendrecv(out, 6, MPI_INT, to, 3, in, 1, blocks, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("rank %d: row to blocks %08x\n", rank, (unsigned)checksum(in, sizeof in));
  clear(in, -1);
  MPI_Sendrecv(&out[2 * COLUMNS], 1, backwards, to, 4, &in[3 * COLUMNS], 1, backwards, from, 4, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  say("rank %d: backwards %08x\n", rank, (unsigned)checksum(in, sizeof in));

  clear(in, rank);
  if (rank == ranks - 1) memcpy(in, out, sizeof in);
  MPI_Bcast(in, 1, column, ranks - 1, MPI_COMM_WORLD);
  say("rank %d: broadcast column %08x\n", rank, (unsigned)checksum(in, sizeof in));
  int* gathered = allocate(sizeof(int) * ROWS * (size_t)ranks);
  MPI_Gather(out, 1, column, gathered, ROWS, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) say("gathered columns %08x\n", (unsigned)checksum(gathered, sizeof(int) * ROWS * (size_t)ranks));
  free(gathered);

  // Long enough for a rendezvous: every second integer of 6,000.
  MPI_Datatype comb;
  MPI_Type_vector(3000, 1, 2, MPI_INT, &comb);
  MPI_Type_commit(&comb);
  int* teeth = allocate(6000 * sizeof(int));
  int* other = allocate(6000 * sizeof(int));
  for (int i = 0; i < 6000; ++i) teeth[i] = rank + i;
  MPI_Sendrecv(teeth, 1, comb, to, 5, other, 1, comb, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("rank %d: comb %08x\n", rank, (unsigned)checksum(other, 6000 * sizeof(int)));
  free(other);
  free(teeth);
  MPI_Type_free(&comb);
  MPI_Type_free(&backwards);
  MPI_Type_free(&blocks);
  MPI_Type_free(&column);
  say_all();
  MPI_Finalize();
  return 0;
}
