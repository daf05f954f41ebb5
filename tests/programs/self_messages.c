// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Messages to oneself: posted before, posted after, both at once, short and long, and on MPI_COMM_SELF.
#include "program.h"

static void both_orders(int count) {
  const int me = my_rank();
  int* out = allocate((size_t)count * sizeof(int));
  int* in = allocate((size_t)count * sizeof(int));
  for (int i = 0; i < count; ++i) out[i] = me * count + i;
  for (int posted_first = 0; posted_first < 2; ++posted_first) {
    MPI_Request receive, send;
    memset(in, 0, (size_t)count * sizeof(int));
    if (posted_first) MPI_Irecv(in, count, MPI_INT, me, 1, MPI_COMM_WORLD, &receive);
    MPI_Isend(out, count, MPI_INT, me, 1, MPI_COMM_WORLD, &send);
    if (!posted_first) MPI_Irecv(in, count, MPI_INT, me, 1, MPI_COMM_WORLD, &receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    say("rank %d: %d integers %s\n", me, count,
        memcmp(in, out, (size_t)count * sizeof(int)) == 0 ? "equal" : "DIFFERENT");
  }
  MPI_Sendrecv(out, count, MPI_INT, me, 2, in, count, MPI_INT, me, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("rank %d: sendrecv checksum %08x\n", me, (unsigned)checksum(in, (size_t)count * sizeof(int)));
  free(in);
  free(out);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  both_orders(1);
  both_orders(5000);
  int rank = -1, ranks = -1, in = 0, out = 11 + my_rank();
  MPI_Comm_rank(MPI_COMM_SELF, &rank);
  MPI_Comm_size(MPI_COMM_SELF, &ranks);
  MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  int sum = 0;
  MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  MPI_Barrier(MPI_COMM_SELF);
  say("self: rank %d of %d, got %d, sum %d\n", rank, ranks, in, sum);
  say_all();
  MPI_Finalize();
  return 0;
}
