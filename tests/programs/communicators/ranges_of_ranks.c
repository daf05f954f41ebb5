// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Groups by ranges of ranks with steps forth and back, included and excluded.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int ranges[3][3] = {{0, 0, 1}, {ranks - 1, 1, -3}, {0, 0, 1}};
  const int count = ranks > 1 ? 2 : 1;
  int size, place;
  MPI_Group_range_incl(world, count, ranges, &group);
  MPI_Group_size(group, &size);
  MPI_Group_rank(group, &place);
  say("included %d, %d\n", size, place == MPI_UNDEFINED ? -1 : place);
  MPI_Comm comm;
  MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
  if (comm != MPI_COMM_NULL) {
    int sum;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    say("sum %d\n", sum);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&group);
  MPI_Group_range_excl(world, count, ranges, &group);
  MPI_Group_size(group, &size);
  MPI_Group_rank(group, &place);
  say("excluded %d, %d\n", size, place == MPI_UNDEFINED ? -1 : place);
  if (group != MPI_GROUP_EMPTY) MPI_Group_free(&group);
  MPI_Group_free(&world);
  say_all();
  MPI_Finalize();
  return 0;
}
