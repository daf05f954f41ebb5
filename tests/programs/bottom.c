// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Datatypes that hold addresses: the buffer is MPI_BOTTOM, in messages and in collectives.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int number = 10 * rank, numbers[3] = {rank, rank + 1, rank + 2};
  double value = rank + 0.25;
  MPI_Aint places[3];
  const int lengths[3] = {1, 3, 1};
  const MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_DOUBLE};
  MPI_Get_address(&number, &places[0]);
  MPI_Get_address(numbers, &places[1]);
  MPI_Get_address(&value, &places[2]);
  MPI_Datatype all;
  MPI_Type_create_struct(3, lengths, places, types, &all);
  MPI_Type_commit(&all);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Request request;
  char packed[64];
  int size, place = 0;
  MPI_Pack_size(1, all, MPI_COMM_WORLD, &size);
  MPI_Pack(MPI_BOTTOM, 1, all, packed, sizeof packed, &place, MPI_COMM_WORLD);
  say("packed %d of %d\n", place, size);
  MPI_Isend(packed, place, MPI_PACKED, right, 0, MPI_COMM_WORLD, &request);
  MPI_Recv(MPI_BOTTOM, 1, all, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say("from the left: %d %d %d %d %g\n", number, numbers[0], numbers[1], numbers[2], value);
  MPI_Bcast(MPI_BOTTOM, 1, all, ranks / 2, MPI_COMM_WORLD);
  say("from the middle: %d %d %d %d %g\n", number, numbers[0], numbers[1], numbers[2], value);
  MPI_Type_free(&all);
  say_all();
  MPI_Finalize();
  return 0;
}
