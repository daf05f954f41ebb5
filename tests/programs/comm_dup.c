// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Comm_dup: the copy has the same ranks and its own messages; equal tags on two communicators do not mix.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks(), to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  MPI_Comm copy, third;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_dup(copy, &third);
  int copy_rank, copy_ranks;
  MPI_Comm_rank(copy, &copy_rank);
  MPI_Comm_size(third, &copy_ranks);
  const int out[3] = {rank, 100 + rank, 200 + rank};
  int in[3] = {-1, -1, -1};
  const MPI_Comm comms[3] = {MPI_COMM_WORLD, copy, third};
  MPI_Request sends[3];
  for (int i = 0; i < 3; ++i) MPI_Isend(&out[i], 1, MPI_INT, to, 5, comms[i], &sends[i]);
  for (int i = 2; i >= 0; --i) MPI_Recv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[i], MPI_STATUS_IGNORE);
  MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
  say("rank %d is %d of %d there: %d %d %d from %d\n", rank, copy_rank, copy_ranks, in[0], in[1], in[2], from);
  int sums[2];
  MPI_Allreduce(&out[1], &sums[0], 1, MPI_INT, MPI_SUM, copy);
  MPI_Reduce(&out[2], &sums[1], 1, MPI_INT, MPI_MAX, 0, third);
  MPI_Barrier(third);
  say("rank %d: sum %d\n", rank, sums[0]);
  if (rank == 0) say("maximum %d\n", sums[1]);
  MPI_Comm_free(&third);
  MPI_Comm_free(&copy);
  say("rank %d: freed is null %d\n", rank, copy == MPI_COMM_NULL);
  say_all();
  MPI_Finalize();
  return 0;
}
