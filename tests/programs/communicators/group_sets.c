// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Union, intersection and difference of groups keep the order of the first; ranks are translated between them.
#include "program.h"

static void tell(const char* name, MPI_Group group, MPI_Group world) {
  int size, places[40], members[40];
  MPI_Group_size(group, &size);
  for (int i = 0; i < size; ++i) places[i] = i;
  MPI_Group_translate_ranks(group, size, places, world, members);
  say("%s:", name);
  for (int i = 0; i < size; ++i) say(" %d", members[i]);
  say("\n");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Group world, even, low, result;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int ranges[1][3] = {{0, ranks - 1, 2}};
  int down[1][3] = {{ranks / 2, 0, -1}};
  MPI_Group_range_incl(world, 1, ranges, &even);
  MPI_Group_range_incl(world, 1, down, &low);
  tell("even", even, world);
  tell("low", low, world);
  MPI_Group_union(low, even, &result);
  tell("union", result, world);
  int same;
  MPI_Group other;
  MPI_Group_union(even, low, &other);
  MPI_Group_compare(result, other, &same);
  say("similar %d\n", same == MPI_SIMILAR || same == MPI_IDENT);
  MPI_Group_free(&other);
  MPI_Group_free(&result);
  MPI_Group_intersection(low, even, &result);
  tell("intersection", result, world);
  MPI_Group_free(&result);
  MPI_Group_difference(world, even, &result);
  tell("odd", result, world);
  MPI_Group_compare(result, MPI_GROUP_EMPTY, &same);
  say("empty %d, rank %d\n", same == MPI_IDENT, rank);
  int place, at;
  MPI_Group_rank(even, &place);
  const int zero = 0;
  MPI_Group_translate_ranks(world, 1, &zero, result, &at);
  say("%d %d\n", place == MPI_UNDEFINED ? -1 : place, at == MPI_UNDEFINED);
  if (result != MPI_GROUP_EMPTY) MPI_Group_free(&result);
  MPI_Group_free(&even);
  MPI_Group_free(&low);
  MPI_Group_free(&world);
  say_all();
  MPI_Finalize();
  return 0;
}
