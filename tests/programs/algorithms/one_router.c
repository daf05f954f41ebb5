// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// Prints the processor name of each rank.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, length;
  char name[MPI_MAX_PROCESSOR_NAME], names[64][MPI_MAX_PROCESSOR_NAME];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Get_processor_name(name, &length);
  MPI_Gather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int other = 0; rank == 0 && other < ranks; ++other) printf("%s\n", names[other]);
  MPI_Finalize();
  return 0;
}
