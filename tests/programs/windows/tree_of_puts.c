// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A broadcast over a binomial tree: who has the vector PUTs it to its children, with post, start, complete and wait.
#include "program.h"

enum { WORDS = 300 };

/** A group of one rank. */
static MPI_Group group_of(MPI_Group all, int rank) {
  MPI_Group one;
  MPI_Group_incl(all, 1, &rank, &one);
  return one;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int memory[WORDS] = {0};
  if (rank == 0) fill(memory, sizeof memory, 99);
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Group all;
  MPI_Win_get_group(win, &all);
  int bit = 1;
  while (bit < ranks && (rank & bit) == 0) bit <<= 1;
  if (rank != 0) {
    MPI_Group parent = group_of(all, rank ^ bit);
    MPI_Win_post(parent, 0, win);
    MPI_Win_wait(win);
    MPI_Group_free(&parent);
  }
  for (bit >>= 1; bit > 0; bit >>= 1) {
    if ((rank | bit) >= ranks) continue;
    MPI_Group child = group_of(all, rank | bit);
    MPI_Win_start(child, 0, win);
    MPI_Put(memory, WORDS, MPI_INT, rank | bit, 0, WORDS, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Group_free(&child);
  }
  MPI_Group_free(&all);
  say("%08x\n", checksum(memory, sizeof memory));
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
