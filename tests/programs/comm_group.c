// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Groups: MPI_Comm_group, MPI_Group_incl and a communicator made from a group in another order.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Group world, odd_backwards, everyone;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int members[64], n = 0;
  for (int r = ranks - 1; r >= 0; --r) {
    if (r % 2 == 1 || ranks == 1) members[n++] = r;
  }
  MPI_Group_incl(world, n, members, &odd_backwards);
  int group_size, group_rank, world_size;
  MPI_Group_size(world, &world_size);
  MPI_Group_size(odd_backwards, &group_size);
  MPI_Group_rank(odd_backwards, &group_rank);
  say("rank %d: %d in the world, %d in the group, here %d\n", rank, world_size, group_size,
      group_rank == MPI_UNDEFINED ? -1 : group_rank);
  MPI_Comm comm;
  MPI_Comm_create(MPI_COMM_WORLD, odd_backwards, &comm);
  if (comm != MPI_COMM_NULL) {
    int here, order[64], root_value = rank;
    MPI_Comm_rank(comm, &here);
    MPI_Allgather(&rank, 1, MPI_INT, order, 1, MPI_INT, comm);
    MPI_Bcast(&root_value, 1, MPI_INT, n - 1, comm);
    say("rank %d is %d:", rank, here);
    for (int i = 0; i < n; ++i) say(" %d", order[i]);
    say(", the last is %d\n", root_value);
    MPI_Comm_free(&comm);
  } else {
    say("rank %d takes no part\n", rank);
  }
  MPI_Group_incl(world, 0, NULL, &everyone);
  say("rank %d: nobody is the empty group %d\n", rank, everyone == MPI_GROUP_EMPTY);
  MPI_Group_free(&odd_backwards);
  MPI_Group_free(&world);
  say_all();
  MPI_Finalize();
  return 0;
}
