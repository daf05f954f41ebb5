// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Two sessions open and close; communicators of their process sets work beside the world.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Session one, two;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &one);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &two);
  int sets, sum, place;
  MPI_Session_get_num_psets(one, MPI_INFO_NULL, &sets);
  say("enough sets %d\n", sets >= 2);
  MPI_Group group, self;
  MPI_Group_from_session_pset(one, "mpi://WORLD", &group);
  MPI_Group_from_session_pset(two, "mpi://SELF", &self);
  int size;
  MPI_Group_size(self, &size);
  MPI_Group_rank(group, &place);
  say("self %d, place %d\n", size, place);
  MPI_Comm comm;
  MPI_Comm_create_from_group(group, "tidings.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  int same;
  MPI_Comm_compare(comm, MPI_COMM_WORLD, &same);
  say("sum %d of %d, congruent %d\n", sum, ranks, same == MPI_CONGRUENT);
  MPI_Group_free(&group);
  MPI_Group_free(&self);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&two);
  MPI_Session_finalize(&one);
  say("null %d\n", one == MPI_SESSION_NULL && two == MPI_SESSION_NULL);
  say_all();
  MPI_Finalize();
  return 0;
}
