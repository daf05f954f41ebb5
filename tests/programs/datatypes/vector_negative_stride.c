// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Vectors and their kin with negative strides: elements are sent from the last to the first.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int data[20], got[8];
  for (int i = 0; i < 20; ++i) data[i] = rank * 100 + i;
  MPI_Datatype back, bytes_back;
  MPI_Type_vector(5, 1, -2, MPI_INT, &back);
  MPI_Type_create_hvector(4, 2, -3 * (MPI_Aint)sizeof(int), MPI_INT, &bytes_back);
  MPI_Type_commit(&back);
  MPI_Type_commit(&bytes_back);
  MPI_Aint lower, extent;
  MPI_Type_get_extent(back, &lower, &extent);
  say("lower bound %ld, extent %ld", (long)lower, (long)extent);
  MPI_Type_get_extent(bytes_back, &lower, &extent);
  say(", %ld %ld\n", (long)lower, (long)extent);
  MPI_Sendrecv(&data[10], 1, back, rank, 0, got, 8, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("%d %d %d %d %d\n", got[0], got[1], got[2], got[3], got[4]);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Sendrecv(&data[12], 1, bytes_back, right, 0, got, 8, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 8; ++i) say(" %d", got[i] - left * 100);
  MPI_Sendrecv(got, 8, MPI_INT, right, 1, &data[12], 1, bytes_back, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 20; ++i) say(" %d", data[i]);
  say("\n");
  MPI_Type_free(&back);
  MPI_Type_free(&bytes_back);
  say_all();
  MPI_Finalize();
  return 0;
}
