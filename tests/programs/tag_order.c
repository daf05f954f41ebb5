// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Matching: tags taken against the order sent, equal tags in the order sent, receives posted before and after.
#include "program.h"

enum { TAGS = 6 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks(), to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  MPI_Request sends[2 * TAGS];
  int out[2 * TAGS], in[TAGS];
  for (int i = 0; i < 2 * TAGS; ++i) {
    out[i] = rank * 1000 + i;
    MPI_Isend(&out[i], 1, MPI_INT, to, i % TAGS, MPI_COMM_WORLD, &sends[i]);
  }
  for (int tag = TAGS - 1; tag >= 0; --tag)
    MPI_Recv(&in[tag], 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int tag = 0; tag < TAGS; ++tag) say("rank %d tag %d first %d\n", rank, tag, in[tag]);
  for (int tag = 0; tag < TAGS; ++tag) MPI_Recv(&in[tag], 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int tag = 0; tag < TAGS; ++tag) say("rank %d tag %d second %d\n", rank, tag, in[tag]);
  MPI_Waitall(2 * TAGS, sends, MPI_STATUSES_IGNORE);

  // Short and long messages with one tag do not overtake one another.
  int* large = allocate(3000 * sizeof(int));
  int* large_in = allocate(3000 * sizeof(int));
  large[0] = rank;
  MPI_Request pair[3];
  MPI_Isend(large, 3000, MPI_INT, to, 9, MPI_COMM_WORLD, &pair[0]);
  MPI_Isend(out, 1, MPI_INT, to, 9, MPI_COMM_WORLD, &pair[1]);
  MPI_Isend(large, 2000, MPI_INT, to, 9, MPI_COMM_WORLD, &pair[2]);
  for (int i = 0; i < 3; ++i) {
    MPI_Status status;
    int count;
    MPI_Recv(large_in, 3000, MPI_INT, from, 9, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    say("rank %d message %d: %d integers, first %d\n", rank, i, count, large_in[0]);
  }
  MPI_Waitall(3, pair, MPI_STATUSES_IGNORE);
  free(large_in);
  free(large);
  say_all();
  MPI_Finalize();
  return 0;
}
