// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Gives the call that the first argument names a null pointer in place of requests.
#include <mpi.h>
#include <stddef.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int flag;
  if (argc > 1 && strcmp(argv[1], "MPI_Wait") == 0) MPI_Wait(NULL, MPI_STATUS_IGNORE);
  if (argc > 1 && strcmp(argv[1], "MPI_Test") == 0) MPI_Test(NULL, &flag, MPI_STATUS_IGNORE);
  if (argc > 1 && strcmp(argv[1], "MPI_Waitall") == 0) MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE);
  if (argc > 1 && strcmp(argv[1], "MPI_Start") == 0) MPI_Start(NULL);
  if (argc > 1 && strcmp(argv[1], "MPI_Startall") == 0) MPI_Startall(1, NULL);
  MPI_Finalize();
  return 0;
}
