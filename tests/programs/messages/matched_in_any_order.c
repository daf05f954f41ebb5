// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Messages that matched probes have taken are received in another order, and nobody else can receive them.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Comm here;  // the texts at the end are messages too
  MPI_Comm_dup(MPI_COMM_WORLD, &here);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int out[3] = {rank * 3, rank * 3 + 1, rank * 3 + 2}, in[3] = {-1, -1, -1};
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i) MPI_Isend(&out[i], 1, MPI_INT, right, 6, here, &requests[i]);
  MPI_Message first, second;
  MPI_Status status;
  MPI_Mprobe(left, 6, here, &first, &status);
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, here, &second, &status);
  say("second from %d\n", status.MPI_SOURCE == left);
  MPI_Recv(&in[2], 1, MPI_INT, left, 6, here, MPI_STATUS_IGNORE);
  MPI_Mrecv(&in[1], 1, MPI_INT, &second, MPI_STATUS_IGNORE);
  MPI_Request last;
  MPI_Imrecv(&in[0], 1, MPI_INT, &first, &last);
  MPI_Wait(&last, &status);
  int count;
  MPI_Get_count(&status, MPI_INT, &count);
  say("%d %d %d, null %d %d, count %d\n", in[0], in[1], in[2], first == MPI_MESSAGE_NULL, second == MPI_MESSAGE_NULL,
      count);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  // A matched probe of nobody finds the message of nobody.
  int flag = 0;
  MPI_Improbe(MPI_PROC_NULL, 3, here, &flag, &first, &status);
  say("nobody %d %d %d", flag, first == MPI_MESSAGE_NO_PROC, status.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Mrecv(NULL, 0, MPI_INT, &first, &status);
  say(" %d %d\n", first == MPI_MESSAGE_NULL, status.MPI_TAG == MPI_ANY_TAG);
  MPI_Comm_free(&here);
  say_all();
  MPI_Finalize();
  return 0;
}
