// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Only the members of a group make its communicator, while the others go on.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int members[17], count = 0;
  for (int r = ranks - 1; r >= 0; r -= 2) members[count++] = r;
  MPI_Group_incl(world, count, members, &group);
  int place;
  MPI_Group_rank(group, &place);
  if (place != MPI_UNDEFINED) {
    MPI_Comm comm, inner;
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &comm);
    int sum, first;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &inner);
    MPI_Comm_compare(comm, MPI_COMM_WORLD, &first);
    say("place %d, sum %d, world %d\n", place, sum, first == MPI_CONGRUENT);
    MPI_Comm_free(&inner);
    MPI_Comm_free(&comm);
  } else {
    say("not a member\n");
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  say_all();
  MPI_Finalize();
  return 0;
}
