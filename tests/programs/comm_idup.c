// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Communicators that are copied while the program goes on: several at once, in different orders, between two groups.
#include "program.h"

enum { PARTS = 3 };

static int copied;
static int copy_it(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)keyval, (void)extra;
  ++copied;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

/** Messages of equal tags in several communicators: each finds its own. */
static int separate(const MPI_Comm comms[], int n) {
  int right = 0, values[8];
  MPI_Request requests[8];
  for (int i = 0; i < n; ++i) {
    int rank, size;
    MPI_Comm_rank(comms[i], &rank);
    MPI_Comm_size(comms[i], &size);
    values[i] = 100 * i + rank;
    MPI_Isend(&values[i], 1, MPI_INT, (rank + 1) % size, 5, comms[i], &requests[i]);
  }
  for (int i = n - 1; i >= 0; --i) {
    int rank, size, value = -1;
    MPI_Comm_rank(comms[i], &rank);
    MPI_Comm_size(comms[i], &size);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, comms[i], MPI_STATUS_IGNORE);
    right += value == 100 * i + (rank + size - 1) % size;
    MPI_Barrier(comms[i]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  return right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int keyval, value = 7, *found = NULL, flag = 0, relation, sum = 0;
  MPI_Comm_create_keyval(copy_it, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &value);
  MPI_Comm copies[8];
  MPI_Request requests[8];
  // Work goes on meanwhile.
  MPI_Comm_idup(MPI_COMM_WORLD, &copies[0], &requests[0]);
  for (int i = 0; i < 20; ++i) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Comm_get_attr(copies[0], keyval, &found, &flag);
  MPI_Comm_compare(copies[0], MPI_COMM_WORLD, &relation);
  say("copied %d, attribute %d, congruent %d, sum %d\n", copied, flag ? *found : -1, relation == MPI_CONGRUENT, sum);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
  // Several of one parent, and one that is made at once in between.
  for (int i = 1; i < 4; ++i) MPI_Comm_idup(i % 2 ? MPI_COMM_WORLD : copies[0], &copies[i], &requests[i]);
  MPI_Comm_dup(copies[0], &copies[4]);
  MPI_Waitall(3, requests + 1, MPI_STATUSES_IGNORE);
  say("right %d of 5\n", separate(copies, 5));
  for (int i = 1; i < 5; ++i) MPI_Comm_free(&copies[i]);
  // Copies of different parents, in a different order at each rank.
  MPI_Comm parents[PARTS];
  for (int i = 0; i < PARTS; ++i) MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? rank : -rank, &parents[i]);
  for (int turn = 0; turn < 4; ++turn) {
    for (int i = 0; i < PARTS; ++i) {
      const int which = (rank * (turn + 1) + (rank % 2 ? i : PARTS - i)) % PARTS;
      MPI_Comm_idup(parents[which], &copies[1 + which], &requests[which]);
    }
    MPI_Waitall(PARTS, requests, MPI_STATUSES_IGNORE);
    say("right %d of %d\n", separate(copies, PARTS + 1), PARTS + 1);
    for (int i = 0; i < PARTS; ++i) MPI_Comm_free(&copies[1 + i]);
  }
  // Groups that overlap: a copy for the even ranks beside one for all.
  MPI_Comm some, both[2];
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &some);
  MPI_Info info;
  MPI_Info_create(&info);
  if (rank % 2) {
    MPI_Comm_idup(MPI_COMM_WORLD, &both[0], &requests[0]);
    MPI_Comm_idup_with_info(some, info, &both[1], &requests[1]);
  } else {
    MPI_Comm_idup_with_info(some, info, &both[1], &requests[1]);
    MPI_Comm_idup(MPI_COMM_WORLD, &both[0], &requests[0]);
  }
  MPI_Info_free(&info);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  say("right %d of 2\n", separate(both, 2));
  MPI_Comm_free(&both[0]);
  MPI_Comm_free(&both[1]);
  if (ranks > 1) {
    MPI_Comm inter, copy;
    MPI_Intercomm_create(some, 0, MPI_COMM_WORLD, !(rank % 2), 1, &inter);
    MPI_Comm_idup(inter, &copy, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    int remote, mine = rank, theirs[16];
    MPI_Comm_remote_size(copy, &remote);
    MPI_Allgather(&mine, 1, MPI_INT, theirs, 1, MPI_INT, copy);
    for (int i = 0, total = 0; i < remote; ++i) {
      total += theirs[i];
      if (i == remote - 1) say("other side: %d ranks, sum %d\n", remote, total);
    }
    MPI_Comm_free(&copy);
    MPI_Comm_free(&inter);
  }
  for (int i = 0; i < PARTS; ++i) MPI_Comm_free(&parents[i]);
  MPI_Comm_free(&some);
  MPI_Comm_free(&copies[0]);
  MPI_Comm_free_keyval(&keyval);
  say_all();
  MPI_Finalize();
  return 0;
}
