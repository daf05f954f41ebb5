// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A drawn sequence of collectives with drawn roots, lengths and operations, messages in flight between them.
#include "program.h"

enum { STEPS = 40, MOST = 90 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  uint64_t shared = 2024, own = (uint64_t)rank + 1;  // all ranks draw the same steps, each its own data
  uint32_t trail = 0;
  const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR};
  for (int step = 0; step < STEPS; ++step) {
    const uint32_t kind = next_random(&shared) % 6;
    const int root = (int)(next_random(&shared) % (uint32_t)ranks);
    const int count = (int)(next_random(&shared) % MOST);
    const MPI_Op op = ops[next_random(&shared) % 6];
    int in[MOST], out[MOST] = {0}, token = rank * step, neighbour = -1;
    for (int i = 0; i < count; ++i) in[i] = (int)(next_random(&own) % 2001) - 1000;
    MPI_Request requests[2];
    MPI_Irecv(&neighbour, 1, MPI_INT, (rank + ranks - 1) % ranks, step, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&token, 1, MPI_INT, (rank + 1) % ranks, step, MPI_COMM_WORLD, &requests[1]);
    switch (kind) {
      case 0:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
      case 1:
        MPI_Bcast(in, count, MPI_INT, root, MPI_COMM_WORLD);
        memcpy(out, in, sizeof(int) * (size_t)count);
        break;
      case 2:
        MPI_Reduce(in, out, count, MPI_INT, op, root, MPI_COMM_WORLD);
        break;
      case 3:
        MPI_Scan(in, out, count, MPI_INT, op, MPI_COMM_WORLD);
        break;
      default:
        MPI_Allreduce(in, out, count, MPI_INT, op, MPI_COMM_WORLD);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    trail = trail * 31 + checksum(out, sizeof(int) * (size_t)count) + (uint32_t)neighbour;
  }
  say("rank %d: %08x\n", rank, (unsigned)trail);
  say_all();
  MPI_Finalize();
  return 0;
}
