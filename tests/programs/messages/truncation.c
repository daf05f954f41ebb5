// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A message that is longer than its receive is an error of class MPI_ERR_TRUNCATE; later messages are not touched
// by it.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  int out[8], in[8] = {0}, class;
  for (int i = 0; i < 8; ++i) out[i] = rank * 10 + i;
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  MPI_Request requests[2];
  MPI_Isend(out, 8, MPI_INT, 0, 1, own, &requests[0]);
  MPI_Isend(out, 4, MPI_INT, 0, 2, own, &requests[1]);
  int code = MPI_Recv(in, 4, MPI_INT, 0, 1, own, MPI_STATUS_IGNORE);
  MPI_Error_class(code, &class);
  say("too long %d, beyond %d\n", class == MPI_ERR_TRUNCATE, in[4]);
  code = MPI_Recv(in, 8, MPI_INT, 0, 2, own, MPI_STATUS_IGNORE);
  say("next %d: %d %d\n", code == MPI_SUCCESS, in[0], in[3]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_free(&own);
  say_all();
  MPI_Finalize();
  return 0;
}
