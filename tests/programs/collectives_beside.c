// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Nonblocking collectives of the world alone: more than an engine's queue holds, waited for in reverse, long ones,
// blocking ones and messages between them, tests in a loop, and persistent ones that start in one order.
#include "program.h"

enum { MANY = 9, SHORT = 7, LONG = 240000 };

static void many_at_once(int rank, int ranks) {
  int in[MANY][SHORT], out[MANY][SHORT];
  MPI_Request requests[MANY];
  for (int i = 0; i < MANY; ++i) {
    for (int w = 0; w < SHORT; ++w) {
      in[i][w] = rank + i * w;
      out[i][w] = -1;
    }
    switch (i % 4) {
      case 0:
        MPI_Iallreduce(in[i], out[i], SHORT, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
        break;
      case 1:
        MPI_Ireduce(in[i], out[i], SHORT, MPI_INT, MPI_MAX, i % ranks, MPI_COMM_WORLD, &requests[i]);
        break;
      case 2:
        MPI_Ibcast(in[i], SHORT, MPI_INT, i % ranks, MPI_COMM_WORLD, &requests[i]);
        break;
      default:
        MPI_Ibarrier(MPI_COMM_WORLD, &requests[i]);
    }
  }
  int token = rank, neighbour = -1;
  MPI_Sendrecv(&token, 1, MPI_INT, (rank + 1) % ranks, 1, &neighbour, 1, MPI_INT, (rank + ranks - 1) % ranks, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = MANY; i > 0; --i) MPI_Wait(&requests[i - 1], MPI_STATUS_IGNORE);
  say("rank %d: %d from before, %08x %08x\n", rank, neighbour, (unsigned)checksum(in, sizeof in),
      (unsigned)checksum(out, sizeof out));
}

static void blocking_between(int rank, int ranks) {
  double mine[3] = {rank, 0.5 * rank, -rank}, sums[3], most[3], again[3];
  MPI_Request first, second;
  int root = rank == ranks - 1 ? 42 : 0;
  MPI_Iallreduce(mine, sums, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &first);
  MPI_Bcast(&root, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  MPI_Iallreduce(mine, most, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &second);
  MPI_Allreduce(mine, again, 3, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  int* all = allocate((size_t)ranks * sizeof *all);
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Wait(&second, MPI_STATUS_IGNORE);
  MPI_Wait(&first, MPI_STATUS_IGNORE);
  say("%d; %g %g %g; %g %g %g; %g %g %g; %d\n", root, sums[0], sums[1], sums[2], most[0], most[1], most[2], again[0],
      again[1], again[2], all[ranks - 1]);
  free(all);
}

static void long_and_tested(int rank, int ranks) {
  int* in = allocate(LONG * sizeof *in);
  int* sums = allocate(LONG * sizeof *sums);
  char* text = allocate(LONG + 3);
  for (int i = 0; i < LONG; ++i) in[i] = rank + i;
  memset(text, rank == 0 ? 'x' : '-', LONG + 3);
  MPI_Datatype pairs;  // with holes
  MPI_Type_vector(1000, 1, 2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  int spaced[2000];
  for (int i = 0; i < 2000; ++i) spaced[i] = rank * 2000 + i;
  MPI_Request requests[3];
  MPI_Iallreduce(in, sums, LONG, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibcast(text, LONG + 3, MPI_CHAR, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Ibcast(spaced, 1, pairs, ranks - 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Type_free(&pairs);
  int done = 0;
  while (!done) MPI_Testall(3, requests, &done, MPI_STATUSES_IGNORE);
  say("rank %d: %08x %08x %08x\n", rank, (unsigned)checksum(sums, LONG * sizeof *sums),
      (unsigned)checksum(text, LONG + 3), (unsigned)checksum(spaced, sizeof spaced));
  free(text);
  free(sums);
  free(in);
}

static void persistent(int rank, int ranks) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tidings_in_order", "true");
  MPI_Comm_set_info(MPI_COMM_WORLD, info);
  MPI_Info_free(&info);
  int value = 0, sum = 0, most = 0, trail = 0;
  MPI_Request requests[3];
  MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Reduce_init(&value, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  for (int turn = 0; turn < 5; ++turn) {
    value = rank + turn;
    MPI_Startall(3, requests);
    if (turn % 2) {
      MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    } else {
      for (int left = 3; left > 0; --left) {
        int index;
        MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
      }
    }
    trail = trail * 31 + sum + most;
  }
  for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
  say("rank %d of %d: %d\n", rank, ranks, trail);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  many_at_once(rank, ranks);
  blocking_between(rank, ranks);
  long_and_tested(rank, ranks);
  persistent(rank, ranks);
  say_all();
  MPI_Finalize();
  return 0;
}
