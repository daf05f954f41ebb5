// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Nonblocking collectives of several communicators that share ranks, begun in another order at every second rank, with
// blocking ones between them, and with a communicator that is made or freed while one is under way.
#include "program.h"

enum { WORDS = 50 };

/// All are begun, then all are waited for, in the order in which others began them.
static void crosswise(MPI_Comm a, MPI_Comm b) {
  const int rank = my_rank(), turned = rank % 2;
  int in[WORDS], sums[2][WORDS];
  MPI_Request requests[2];
  for (int i = 0; i < WORDS; ++i) in[i] = rank + i;
  for (int step = 0; step < 2; ++step) {
    const int which = step ^ turned;
    MPI_Iallreduce(in, sums[which], WORDS, MPI_INT, MPI_SUM, which ? b : a, &requests[which]);
  }
  MPI_Wait(&requests[turned], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[!turned], MPI_STATUS_IGNORE);
  say("rank %d: crosswise %d %d\n", rank, sums[0][3], sums[1][WORDS - 1]);
}

/// Half of the ranks begin one on `a` before they block on `b`, the others afterwards.
static void around_blocking(MPI_Comm a, MPI_Comm b) {
  const int rank = my_rank(), turned = rank % 2;
  int sum = 0, most = 0;
  MPI_Request request;
  if (!turned) MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, a, &request);
  MPI_Allreduce(&rank, &most, 1, MPI_INT, MPI_MAX, b);
  MPI_Barrier(b);
  if (turned) MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, a, &request);
  int done = 0;
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  say("rank %d: around %d %d\n", rank, sum, most);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const MPI_Comm world = MPI_COMM_WORLD;
  int value = rank, first = -1, second = -1, third = -1;
  MPI_Request requests[3];
  // One that is under way when another communicator is made.
  MPI_Iallreduce(&value, &first, 1, MPI_INT, MPI_SUM, world, &requests[0]);
  MPI_Comm copy, part, late;
  MPI_Comm_dup(world, &copy);
  MPI_Iallreduce(&value, &second, 1, MPI_INT, MPI_MAX, world, &requests[1]);
  MPI_Barrier(copy);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  say("rank %d: %d %d\n", rank, first, second);

  crosswise(world, copy);
  around_blocking(world, copy);
  around_blocking(copy, world);
  MPI_Comm_split(world, rank / 3, rank, &part);
  crosswise(part, world);
  crosswise(copy, part);
  around_blocking(part, copy);

  // The copy is made while the other two go on; freed are those that are under way.
  MPI_Iallreduce(&value, &first, 1, MPI_INT, MPI_MIN, copy, &requests[0]);
  MPI_Comm_idup(world, &late, &requests[1]);
  MPI_Ibarrier(part, &requests[2]);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&part);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  crosswise(late, world);
  MPI_Iallreduce(&value, &third, 1, MPI_INT, MPI_SUM, late, &requests[0]);
  MPI_Comm_free(&late);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  say("rank %d: %d %d\n", rank, first, third);

  // All ranks promise one order, and keep it.
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tidings_in_order", "true");
  MPI_Comm ordered, halves;
  MPI_Comm_dup_with_info(world, info, &ordered);
  MPI_Comm_split(world, rank % 2, rank, &halves);
  MPI_Comm_set_info(halves, info);
  MPI_Info_free(&info);
  int sum = 0, most = 0, least = 0, again = 0, told = 7 * rank;
  MPI_Request persistent;
  MPI_Allreduce_init(&value, &again, 1, MPI_INT, MPI_SUM, ordered, MPI_INFO_NULL, &persistent);
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, ordered, &requests[0]);
  MPI_Iallreduce(&value, &most, 1, MPI_INT, MPI_MAX, halves, &requests[1]);
  MPI_Start(&persistent);
  MPI_Allreduce(&value, &least, 1, MPI_INT, MPI_MIN, halves);
  MPI_Ibcast(&told, 1, MPI_INT, ranks - 1, ordered, &requests[2]);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  MPI_Wait(&persistent, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&persistent);
  say("rank %d: %d %d %d %d %d\n", rank, sum, most, least, again, told);
  MPI_Comm_free(&halves);
  MPI_Comm_free(&ordered);
  say_all();
  MPI_Finalize();
  return 0;
}
