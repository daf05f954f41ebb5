// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// One call of MPI_Comm_create makes communicators of several groups that have no member in common.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int members[17], count = 0;
  for (int r = ranks - 1; r >= 0; --r) {
    if (r % 3 == rank % 3) members[count++] = r;
  }
  MPI_Group_incl(world, count, members, &group);
  MPI_Comm comm;
  MPI_Comm_create(MPI_COMM_WORLD, rank % 3 == 2 ? MPI_GROUP_EMPTY : group, &comm);
  if (comm == MPI_COMM_NULL) {
    say("none\n");
  } else {
    int place, got[17];
    MPI_Comm_rank(comm, &place);
    MPI_Gather(&rank, 1, MPI_INT, got, 1, MPI_INT, 0, comm);
    say("%d: %d %d\n", place, place == 0 ? got[0] : -1, place == 0 ? got[count - 1] : -1);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  say_all();
  MPI_Finalize();
  return 0;
}
