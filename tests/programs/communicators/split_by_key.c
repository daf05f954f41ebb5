// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Keys order the ranks of a part, ties in the order of the parent; who has no colour is left out.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int keys[4] = {0, -rank, rank % 2, 7};
  for (int k = 0; k < 4; ++k) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 5 == 3 ? MPI_UNDEFINED : (rank / 2) % 3, keys[k], &part);
    if (part == MPI_COMM_NULL) {
      say("left out\n");
      continue;
    }
    int place, size, members[17];
    MPI_Comm_rank(part, &place);
    MPI_Comm_size(part, &size);
    MPI_Allgather(&rank, 1, MPI_INT, members, 1, MPI_INT, part);
    say("%d of %d:", place, size);
    for (int i = 0; i < size; ++i) say(" %d", members[i]);
    say("\n");
    MPI_Comm_free(&part);
  }
  say("%d\n", ranks);
  say_all();
  MPI_Finalize();
  return 0;
}
