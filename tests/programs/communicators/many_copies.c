// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Many copies by MPI_Comm_idup, two for each of as many rounds as the argument says. With some 8,500 they are more than
// there are contexts for copies: those of freed ones are used again.
#include "program.h"

enum { ROUNDS = 30, PAIR = 2 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
  int right = 0;
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm copies[PAIR];
    MPI_Request requests[PAIR];
    for (int j = 0; j < PAIR; ++j) MPI_Comm_idup(MPI_COMM_WORLD, &copies[j], &requests[j]);
    MPI_Waitall(PAIR, requests, MPI_STATUSES_IGNORE);
    for (int j = 0; j < PAIR; ++j) {
      if (i % 10 == 0) {
        int one = 1, sum = 0;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copies[j]);
        right += sum == all_ranks();
      }
      MPI_Comm_free(&copies[j]);
    }
  }
  say("rank %d: %d times right\n", my_rank(), right);
  say_all();
  MPI_Finalize();
  return 0;
}
