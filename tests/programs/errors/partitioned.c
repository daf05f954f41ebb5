// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Mistakes with partitioned messages. The first argument says which.
#include <mpi.h>
#include <stddef.h>
#include <string.h>

static int rank;
static double values[64];

/** Rank 0 sends four partitions, rank 1 receives; both have started. */
static MPI_Request started(int received) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Psend_init(values, 4, 4, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (rank == 1) MPI_Precv_init(values, 1, received, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (rank < 2) MPI_Start(&request);
  return request;
}

static void never_ready(void) {
  MPI_Request request = started(16);
  if (rank == 0) MPI_Pready_range(0, 2, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void ready_twice(void) {
  MPI_Request request = started(16);
  if (rank == 0) MPI_Pready(1, request);
  if (rank == 0) MPI_Pready(1, request);
}

static void no_such_partition(void) {
  MPI_Request request = started(16);
  if (rank == 0) MPI_Pready(4, request);
}

static void other_length(void) {
  MPI_Request request = started(10);
  if (rank == 0) MPI_Pready_range(0, 3, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void not_partitioned(void) {
  MPI_Request request;
  MPI_Irecv(values, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
  MPI_Pready(0, request);
}

/** What MPICH 5.0.2 crashes with, although it is no mistake. */
static void nobody(void) {
  MPI_Request requests[2];
  int flag = 0;
  MPI_Psend_init(values, 3, 5, MPI_DOUBLE, MPI_PROC_NULL, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(values, 3, 5, MPI_DOUBLE, MPI_PROC_NULL, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Parrived(requests[1], 2, &flag);
  MPI_Pready_range(0, 2, requests[0]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  if (!flag) MPI_Abort(MPI_COMM_WORLD, 1);
}

static const struct {
  const char* name;
  void (*make)(void);
} mistakes[] = {
    {"never_ready", never_ready},   {"ready_twice", ready_twice},         {"no_such_partition", no_such_partition},
    {"other_length", other_length}, {"not_partitioned", not_partitioned}, {"nobody", nobody},
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (size_t i = 0; argc == 2 && i < sizeof mistakes / sizeof *mistakes; ++i) {
    if (strcmp(argv[1], mistakes[i].name) == 0) mistakes[i].make();
  }
  MPI_Finalize();
  return 0;
}
