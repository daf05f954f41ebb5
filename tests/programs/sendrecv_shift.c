// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Shifts in both directions with MPI_Sendrecv: round the ring, and along a line that ends in MPI_PROC_NULL.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  for (int step = -2; step <= 2; ++step) {
    const int to = ((rank + step) % ranks + ranks) % ranks, from = ((rank - step) % ranks + ranks) % ranks;
    int sent[3] = {rank, step, rank * step}, received[3] = {-1, -1, -1};
    MPI_Status status;
    MPI_Sendrecv(sent, 3, MPI_INT, to, 10 + step, received, 3, MPI_INT, from, 10 + step, MPI_COMM_WORLD, &status);
    say("rank %d step %d: got %d %d %d from %d\n", rank, step, received[0], received[1], received[2],
        status.MPI_SOURCE);
  }
  const int right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  int value = rank, from_left = -1, from_right = -1;
  MPI_Sendrecv(&value, 1, MPI_INT, right, 1, &from_left, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&value, 1, MPI_INT, left, 2, &from_right, 1, MPI_INT, right, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("rank %d: left %d right %d\n", rank, from_left, from_right);
  // Sizes that differ by direction: a long message one way, a short one back.
  int* long_one = allocate(2000 * sizeof(int));
  int* long_in = allocate(2000 * sizeof(int));
  for (int i = 0; i < 2000; ++i) long_one[i] = rank * 2000 + i;
  const int partner = (rank ^ 1) < ranks ? rank ^ 1 : rank;
  const int out = rank % 2 == 0 || partner == rank ? 2000 : 3;
  MPI_Status status;
  int count;
  MPI_Sendrecv(long_one, out, MPI_INT, partner, 3, long_in, 2000, MPI_INT, partner, 3, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  say("rank %d: %d integers from %d, checksum %08x\n", rank, count, status.MPI_SOURCE,
      (unsigned)checksum(long_in, (size_t)count * sizeof(int)));
  free(long_in);
  free(long_one);
  say_all();
  MPI_Finalize();
  return 0;
}
