// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Communicators, types and windows have names; the predefined ones have those of the standard.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  const MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
  for (int i = 0; i < 2; ++i) {
    MPI_Comm_get_name(comms[i], name, &length);
    say("%s %d\n", name, length);
  }
  const MPI_Datatype types[5] = {MPI_INT, MPI_DOUBLE, MPI_UNSIGNED_LONG_LONG, MPI_2INT, MPI_PACKED};
  for (int i = 0; i < 5; ++i) {
    MPI_Type_get_name(types[i], name, &length);
    say("%s\n", name);
  }
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_get_name(copy, name, &length);
  say("copy [%s]\n", name);
  snprintf(name, sizeof name, "communicator of rank %d", rank);
  MPI_Comm_set_name(copy, name);
  memset(name, 0, sizeof name);
  MPI_Comm_get_name(copy, name, &length);
  say("%s %d\n", name, length == (int)strlen(name));
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_get_name(pair, name, &length);
  say("pair [%s] %d", name, length);
  MPI_Type_set_name(pair, "pair of integers");
  MPI_Type_get_name(pair, name, &length);
  say(" [%s]\n", name);
  MPI_Type_free(&pair);
  MPI_Comm_free(&copy);
  say_all();
  MPI_Finalize();
  return 0;
}
