// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// The largest tag that the library allows is a tag as any other, and all below it down to 0 are.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int *bound, flag, value = rank;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
  say("known %d, large enough %d\n", flag, *bound >= 32767);
  const int tags[4] = {*bound, 0, *bound - 1, 32767};
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Request requests[4];
  for (int i = 0; i < 4; ++i) MPI_Isend(&value, 1, MPI_INT, right, tags[i], MPI_COMM_WORLD, &requests[i]);
  for (int i = 3; i >= 0; --i) {
    MPI_Status status;
    int got;
    MPI_Recv(&got, 1, MPI_INT, left, tags[i], MPI_COMM_WORLD, &status);
    say("%d from %d, tag %d\n", got, status.MPI_SOURCE, status.MPI_TAG == tags[i]);
  }
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = MPI_Send(&value, 1, MPI_INT, right, -5, MPI_COMM_WORLD);
  int class;
  MPI_Error_class(code, &class);
  say("negative %d\n", class == MPI_ERR_TAG);
  say_all();
  MPI_Finalize();
  return 0;
}
