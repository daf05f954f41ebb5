// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Receives of any source that are posted beforehand take one message each, and those of a tag only theirs.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int any[17], tagged[17];
  MPI_Request requests[34];
  if (rank == 0) {
    for (int i = 0; i < ranks; ++i) {
      MPI_Irecv(&any[i], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < ranks; ++i) {
      MPI_Irecv(&tagged[i], 1, MPI_INT, i, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[ranks + i]);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const int one = 1 << (rank % 15), two = 1000 + rank;
  MPI_Request sends[2];
  MPI_Isend(&one, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &sends[0]);
  MPI_Isend(&two, 1, MPI_INT, 0, 2 + rank, MPI_COMM_WORLD, &sends[1]);
  if (rank == 0) {
    MPI_Status statuses[34];
    MPI_Waitall(2 * ranks, requests, statuses);
    long sum = 0;
    // Those of any source were posted first, so the others get no message of their tag.
    for (int i = 0; i < ranks; ++i) sum += any[i] + tagged[i];
    int tags = 0;
    for (int i = 0; i < ranks; ++i) tags += statuses[i].MPI_TAG == 1;
    say("sum %ld, tag 1 %d\n", sum, tags);
  }
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);  // the texts are messages too
  say_all();
  MPI_Finalize();
  return 0;
}
