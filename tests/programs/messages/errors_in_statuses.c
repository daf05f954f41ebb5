// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// If one of several requests fails, the call says MPI_ERR_IN_STATUS and each status says how its request did.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int out[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, in[3][4] = {{0}}, class;
  // Which communicator's handler a call for many requests asks is the library's choice.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int partner = rank ^ 1;
  if (partner < ranks) {
    MPI_Comm pair;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
    MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
    MPI_Request receives[3], sends[3];
    const int room[3] = {4, 2, 4};
    for (int i = 0; i < 3; ++i) MPI_Irecv(in[i], room[i], MPI_INT, 1 - rank % 2, i, pair, &receives[i]);
    MPI_Barrier(pair);
    for (int i = 0; i < 3; ++i) MPI_Isend(out[i], 4, MPI_INT, 1 - rank % 2, i, pair, &sends[i]);
    MPI_Status statuses[3];
    const int code = MPI_Waitall(3, receives, statuses);
    MPI_Error_class(code, &class);
    say("in status %d:", class == MPI_ERR_IN_STATUS);
    for (int i = 0; i < 3; ++i) {
      MPI_Error_class(statuses[i].MPI_ERROR, &class);
      // A library may leave requests behind the one that failed.
      if (class == MPI_ERR_PENDING) class = MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
      say(" %s", class == MPI_SUCCESS ? "fine" : class == MPI_ERR_TRUNCATE ? "truncated" : "other");
    }
    say(", %d %d\n", in[0][3], in[2][3]);
    MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&pair);
  } else {
    MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &(MPI_Comm){MPI_COMM_NULL});
  }
  say_all();
  MPI_Finalize();
  return 0;
}
