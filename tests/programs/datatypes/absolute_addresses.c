// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Parts that lie anywhere in memory are one message by their addresses, from MPI_BOTTOM.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  static int first[4];
  double* second = allocate(3 * sizeof(double));
  char third[5];
  for (int i = 0; i < 4; ++i) first[i] = rank * 4 + i;
  for (int i = 0; i < 3; ++i) second[i] = rank + i * 0.25;
  for (int i = 0; i < 5; ++i) third[i] = (char)('a' + (rank + i) % 26);
  MPI_Aint places[3];
  MPI_Get_address(first, &places[0]);
  MPI_Get_address(second, &places[1]);
  MPI_Get_address(third, &places[2]);
  const int lengths[3] = {4, 3, 5};
  const MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype everything;
  MPI_Type_create_struct(3, lengths, places, types, &everything);
  MPI_Type_commit(&everything);
  MPI_Bcast(MPI_BOTTOM, 1, everything, ranks / 2, MPI_COMM_WORLD);
  say("%d %d, %.2f %.2f, %.5s\n", first[0], first[3], second[0], second[2], third);
  if (rank == 0) first[2] = 77;
  MPI_Sendrecv_replace(MPI_BOTTOM, 1, everything, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  say("%d\n", first[2]);
  MPI_Type_free(&everything);
  free(second);
  say_all();
  MPI_Finalize();
  return 0;
}
