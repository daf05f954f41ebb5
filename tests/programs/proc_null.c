// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_PROC_NULL: every operation with it ends at once and leaves the buffer alone.
#include "program.h"

static void tell(const char* what, const MPI_Status* status) {
  int count = -1;
  MPI_Get_count(status, MPI_INT, &count);
  say("rank %d %s: source is null %d, tag is any %d, count %d\n", my_rank(), what, status->MPI_SOURCE == MPI_PROC_NULL,
      status->MPI_TAG == MPI_ANY_TAG, count);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int value = 42, flag = 0;
  MPI_Status status, statuses[2];
  MPI_Request requests[2];
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  tell("recv", &status);
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  tell("irecv", &statuses[0]);
  MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, &value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  tell("sendrecv", &status);
  MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  tell("probe", &status);
  MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &status);
  tell("iprobe", &status);
  say("rank %d: flag %d, value %d\n", my_rank(), flag, value);
  say_all();
  MPI_Finalize();
  return 0;
}
