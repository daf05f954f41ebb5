// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Communicators that only their members make, communicators of ranks that share something, comparison of communicators.
#include "program.h"

static const char* relation(MPI_Comm a, MPI_Comm b) {
  int result;
  MPI_Comm_compare(a, b, &result);
  return result == MPI_IDENT       ? "ident"
         : result == MPI_CONGRUENT ? "congruent"
         : result == MPI_SIMILAR   ? "similar"
                                   : "unequal";
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Group world, third, reversed;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int members[64], n = 0;
  for (int r = rank % 3; r < ranks; r += 3) members[n++] = r;
  MPI_Group_incl(world, n, members, &third);
  // Every third rank: three groups at once, each with a tag of its own; nobody waits for the others.
  MPI_Comm comm;
  MPI_Comm_create_group(MPI_COMM_WORLD, third, 7 + rank % 3, &comm);
  int sum = 0, size, here;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &here);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  say("rank %d: %d of %d, sum %d\n", rank, here, size, sum);
  // Again, from the new one, upside down.
  for (int i = 0; i < n; ++i) members[i] = n - 1 - i;
  MPI_Group_incl(third, n, members, &reversed);
  MPI_Comm upside_down, copy;
  MPI_Comm_create_group(comm, reversed, 0, &upside_down);
  MPI_Comm_dup(upside_down, &copy);
  say("%s %s %s %s\n", relation(comm, comm), relation(upside_down, copy), n > 1 ? relation(comm, upside_down) : "-",
      ranks > 3 ? relation(comm, MPI_COMM_WORLD) : "-");
  int first = rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, copy);
  say("first %d\n", first);
  // Ranks that share memory: any division is right, as long as it is one.
  MPI_Comm shared;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &shared);
  int part, whole, one;
  MPI_Comm_rank(shared, &here);
  part = here == 0 ? 0 : 1;
  MPI_Comm_size(shared, &size);
  one = here == 0 ? size : 0;
  MPI_Allreduce(&one, &whole, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("all ranks are somewhere: %d, in order %d\n", whole == ranks, part <= here);
  MPI_Comm nobody;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &nobody);
  say("nobody %d\n", nobody == MPI_COMM_NULL);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&upside_down);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&shared);
  MPI_Group_free(&world);
  MPI_Group_free(&third);
  MPI_Group_free(&reversed);
  say_all();
  MPI_Finalize();
  return 0;
}
