// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A type that names a place twice may be sent; its parts arrive as often as it names them.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int data[6], got[9] = {0};
  for (int i = 0; i < 6; ++i) data[i] = 10 * rank + i;
  const int lengths[4] = {2, 3, 0, 4}, places[4] = {1, 0, 5, 2};
  MPI_Datatype twice, block;
  MPI_Type_indexed(4, lengths, places, MPI_INT, &twice);
  const int starts[3] = {3, 0, 3};
  MPI_Type_create_indexed_block(3, 3, starts, MPI_INT, &block);
  MPI_Type_commit(&twice);
  MPI_Type_commit(&block);
  MPI_Request request;
  MPI_Isend(data, 1, twice, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &request);
  MPI_Recv(got, 9, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < 9; ++i) say(" %d", got[i]);
  int position = 0;
  MPI_Pack(data, 1, block, got, (int)sizeof got, &position, MPI_COMM_WORLD);
  for (int i = 0; i < 9; ++i) say(" %d", got[i]);
  say(", %d bytes\n", position);
  MPI_Type_free(&twice);
  MPI_Type_free(&block);
  say_all();
  MPI_Finalize();
  return 0;
}
