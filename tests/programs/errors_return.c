// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_ERRORS_RETURN: wrong arguments and truncation come back as the standard's error classes, and the library lives
// on.
#include "program.h"

static void tell(const char* what, int code, int expected) {
  int class = -1;
  MPI_Error_class(code, &class);
  char text[MPI_MAX_ERROR_STRING];
  int length = -1;
  MPI_Error_string(code, text, &length);
  const bool described = length > 0 && length < MPI_MAX_ERROR_STRING && strlen(text) == (size_t)length;
  say("rank %d %s: class %s, described %d\n", my_rank(), what, class == expected ? "as expected" : "OTHER", described);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int values[4] = {1, 2, 3, 4};
  tell("success", MPI_SUCCESS, MPI_SUCCESS);
  tell("rank too high", MPI_Send(values, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  tell("rank below zero", MPI_Send(values, 1, MPI_INT, -17, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
  tell("source", MPI_Recv(values, 1, MPI_INT, ranks + 5, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_RANK);
  tell("tag", MPI_Send(values, 1, MPI_INT, 0, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
  tell("count", MPI_Send(values, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
  tell("type", MPI_Send(values, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  tell("communicator", MPI_Send(values, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
  tell("root", MPI_Bcast(values, 1, MPI_INT, ranks, MPI_COMM_WORLD), MPI_ERR_ROOT);
  tell("operation", MPI_Allreduce(MPI_IN_PLACE, values, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD), MPI_ERR_OP);

  for (int count = 4; count <= 4000; count *= 1000) {  // short and long
    int* large = allocate((size_t)count * sizeof(int));
    for (int i = 0; i < count; ++i) large[i] = rank * 10 + i;
    MPI_Request send;
    int in[3] = {-1, -1, -1};
    MPI_Isend(large, count, MPI_INT, rank, 1, MPI_COMM_WORLD, &send);
    tell("truncation", MPI_Recv(in, 2, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    say("rank %d: beyond the buffer %d\n", rank, in[2]);
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    MPI_Request receive;
    in[2] = -1;
    MPI_Irecv(in, 2, MPI_INT, from, 2, MPI_COMM_WORLD, &receive);
    MPI_Isend(large, count, MPI_INT, to, 2, MPI_COMM_WORLD, &send);
    tell("truncation in wait", MPI_Wait(&receive, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    say("rank %d: beyond the buffer %d\n", rank, in[2]);
    free(large);
  }
  int sum = 0, one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("rank %d: all %d still here\n", rank, sum);
  say_all();
  MPI_Finalize();
  return 0;
}
