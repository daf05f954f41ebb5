// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Waitany over persistent receives: each completes once per start and stays inactive until the next.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int in[17], out[17];
  MPI_Request receives[17], sends[17];
  for (int r = 0; r < ranks; ++r) {
    MPI_Recv_init(&in[r], 1, MPI_INT, r, 8, MPI_COMM_WORLD, &receives[r]);
    MPI_Send_init(&out[r], 1, MPI_INT, r, 8, MPI_COMM_WORLD, &sends[r]);
  }
  for (int turn = 0; turn < 3; ++turn) {
    for (int r = 0; r < ranks; ++r) out[r] = turn * 1000 + rank * 20 + r;
    MPI_Startall(ranks, receives);
    MPI_Startall(ranks, sends);
    int index, completed = 0, right = 0;
    for (;;) {
      MPI_Status status;
      MPI_Waitany(ranks, receives, &index, &status);
      if (index == MPI_UNDEFINED) break;
      ++completed;
      right += status.MPI_SOURCE == index && in[index] == turn * 1000 + index * 20 + rank;
    }
    MPI_Waitall(ranks, sends, MPI_STATUSES_IGNORE);
    say("%d: %d completed, %d right\n", turn, completed, right);
  }
  for (int r = 0; r < ranks; ++r) {
    MPI_Request_free(&receives[r]);
    MPI_Request_free(&sends[r]);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
