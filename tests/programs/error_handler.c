// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// An error handler of the user is called with the communicator and the code; it goes along with MPI_Comm_dup.
#include "program.h"

static int calls, last_class;

static void note(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  ++calls;
  MPI_Error_class(*code, &last_class);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Errhandler handler, now;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
  say("rank %d: errors are fatal at first %d\n", rank, now == MPI_ERRORS_ARE_FATAL);
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  int value = 0;
  MPI_Send(&value, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD);
  say("rank %d: calls %d, class is rank %d\n", rank, calls, last_class == MPI_ERR_RANK);
  MPI_Send(&value, -1, MPI_INT, 0, 0, copy);
  say("rank %d: calls %d, class is count %d\n", rank, calls, last_class == MPI_ERR_COUNT);
  MPI_Comm_call_errhandler(copy, MPI_ERR_TOPOLOGY);
  say("rank %d: calls %d, class is topology %d\n", rank, calls, last_class == MPI_ERR_TOPOLOGY);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  MPI_Send(&value, 1, MPI_INT, ranks, 0, copy);
  say("rank %d: calls %d\n", rank, calls);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&copy);
  say("rank %d: freed is null %d\n", rank, handler == MPI_ERRHANDLER_NULL);
  say_all();
  MPI_Finalize();
  return 0;
}
