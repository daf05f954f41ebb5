// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// An intercommunicator of two groups: messages across, sizes on both sides, and both merged in either order.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  if (ranks == 1) {
    say("alone\n");
  } else {
    MPI_Comm part, across;
    const int side = rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - side, 5, &across);
    int mine, others, place, inter;
    MPI_Comm_size(across, &mine);
    MPI_Comm_remote_size(across, &others);
    MPI_Comm_rank(across, &place);
    MPI_Comm_test_inter(across, &inter);
    say("%d of %d, others %d, between groups %d\n", place, mine, others, inter);
    int got = -1;
    const int partner = place < others ? place : MPI_PROC_NULL;
    MPI_Sendrecv(&rank, 1, MPI_INT, partner, 1, &got, 1, MPI_INT, partner, 1, across, MPI_STATUS_IGNORE);
    say("got %d\n", got);
    for (int high = 0; high < 2; ++high) {
      MPI_Comm merged;
      MPI_Intercomm_merge(across, side == high, &merged);
      int all[17];
      MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, merged);
      for (int i = 0; i < ranks; ++i) say(" %d", all[i]);
      say("\n");
      MPI_Comm_free(&merged);
    }
    MPI_Comm_free(&across);
    MPI_Comm_free(&part);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
