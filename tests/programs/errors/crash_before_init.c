// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A rank crashes before it has called MPI at all.
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc > 1) raise(SIGFPE);
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return 0;
}
