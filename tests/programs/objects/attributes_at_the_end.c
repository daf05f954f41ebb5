// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Attributes of MPI_COMM_SELF are deleted first of all in MPI_Finalize, in the opposite order, while MPI still
// works.
#include "program.h"

static int told;

static int tell(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)extra;
  int rank, size, finalized;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Finalized(&finalized);
  ++told;
  if (rank == 0) printf("%s: %d of %d, finalized %d\n", (const char*)value, told, size, finalized);
  fflush(stdout);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  static char names[3][8] = {"first", "second", "third"};
  for (int i = 0; i < 3; ++i) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, names[i]);
    MPI_Comm_free_keyval(&key);
  }
  say("rank %d\n", rank);
  say_all();
  MPI_Finalize();
  return 0;
}
