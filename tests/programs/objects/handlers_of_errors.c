// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Error handlers of a communicator are called with its errors, are inherited by copies, and are asked for.
#include "program.h"

static int calls;

static void count_calls(MPI_Comm* comm, int* code, ...) {
  int size;
  MPI_Comm_size(*comm, &size);
  ++calls;
  (void)code;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Comm first, second;
  MPI_Errhandler handler, asked;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_create_errhandler(count_calls, &handler);
  MPI_Comm_set_errhandler(first, handler);
  MPI_Comm_dup(first, &second);
  MPI_Comm_get_errhandler(second, &asked);
  say("inherited %d\n", asked == handler);
  MPI_Errhandler_free(&asked);
  MPI_Errhandler_free(&handler);
  int value = 0, class;
  MPI_Error_class(MPI_Send(&value, 1, MPI_INT, ranks + 5, 0, first), &class);
  must("the send returns what its handler was told", class == MPI_ERR_RANK);
  say("calls %d\n", calls);
  MPI_Error_class(MPI_Bcast(&value, 1, MPI_INT, -3, second), &class);
  must("the call returns what its handler was told", class == MPI_ERR_ROOT);
  say("calls %d\n", calls);
  MPI_Error_class(MPI_Recv(&value, -1, MPI_INT, rank, 0, second, MPI_STATUS_IGNORE), &class);
  must("the call returns what its handler was told", class == MPI_ERR_COUNT);
  say("calls %d\n", calls);
  MPI_Comm_call_errhandler(second, MPI_ERR_OTHER);
  say("by hand: calls %d\n", calls);
  MPI_Comm_set_errhandler(second, MPI_ERRORS_RETURN);
  MPI_Send(&value, 1, MPI_INT, ranks + 5, 0, second);
  say("returned: calls %d\n", calls);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  say_all();
  MPI_Finalize();
  return 0;
}
