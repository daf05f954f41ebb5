// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Groups: union, intersection, difference, inclusion and exclusion by ranks and by ranges, comparison; wrong arguments.
#include "program.h"

static void show(const char* name, MPI_Group group) {
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int n;
  MPI_Group_size(group, &n);
  int inside[64], outside[64];
  for (int i = 0; i < n; ++i) inside[i] = i;
  MPI_Group_translate_ranks(group, n, inside, world, outside);
  say("%s:", name);
  for (int i = 0; i < n; ++i) say(" %d", outside[i]);
  say("\n");
  MPI_Group_free(&world);
}

static const char* relation(MPI_Group a, MPI_Group b) {
  int result;
  MPI_Group_compare(a, b, &result);
  return result == MPI_IDENT ? "ident" : result == MPI_SIMILAR ? "similar" : "unequal";
}

static void say_class(const char* what, int code) {
  int class;
  MPI_Error_class(code, &class);
  say("%s: rank %d arg %d\n", what, class == MPI_ERR_RANK, class == MPI_ERR_ARG);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int ranks = all_ranks();
  MPI_Group world, low, even, backwards, made;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int lower[1][3] = {{0, (ranks - 1) / 2, 1}}, evens[1][3] = {{0, ranks - 1, 2}}, down[1][3] = {{ranks - 1, 0, -1}};
  MPI_Group_range_incl(world, 1, lower, &low);
  MPI_Group_range_incl(world, 1, evens, &even);
  MPI_Group_range_incl(world, 1, down, &backwards);
  show("low", low);
  show("even", even);
  show("backwards", backwards);
  MPI_Group_union(even, low, &made);
  show("union", made);
  say("%s %s %s\n", relation(made, world), relation(world, backwards), relation(world, world));
  MPI_Group_free(&made);
  MPI_Group_intersection(backwards, even, &made);
  show("intersection", made);
  say("%s\n", relation(made, even));
  MPI_Group_free(&made);
  MPI_Group_difference(backwards, even, &made);
  show("difference", made);
  say("empty %d\n", made == MPI_GROUP_EMPTY);
  if (made != MPI_GROUP_EMPTY) MPI_Group_free(&made);
  int some[2] = {ranks - 1, 0};
  MPI_Group_excl(world, ranks > 1 ? 2 : 1, some, &made);
  show("without the ends", made);
  if (made != MPI_GROUP_EMPTY) MPI_Group_free(&made);
  MPI_Group_range_excl(world, 1, evens, &made);
  show("odd", made);
  if (made != MPI_GROUP_EMPTY) MPI_Group_free(&made);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int wrong[1] = {ranks};
  say_class("beyond the group", MPI_Group_incl(world, 1, wrong, &made));
  MPI_Group_free(&low);
  MPI_Group_free(&even);
  MPI_Group_free(&backwards);
  MPI_Group_free(&world);
  say_all();
  MPI_Finalize();
  return 0;
}
