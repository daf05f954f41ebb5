// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Intercommunicators: how they are made, copied, divided and merged; messages between two groups.
#include "program.h"

static const char* relation(MPI_Comm a, MPI_Comm b) {
  int result;
  MPI_Comm_compare(a, b, &result);
  return result == MPI_IDENT       ? "ident"
         : result == MPI_CONGRUENT ? "congruent"
         : result == MPI_SIMILAR   ? "similar"
                                   : "unequal";
}

/** Ranks of both sides, in MPI_COMM_WORLD. */
static void describe(const char* what, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    say("%s: none\n", what);
    return;
  }
  int rank, size, remote, inter, mine[16], all[16];
  MPI_Group world, groups[2];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm_remote_size(comm, &remote);
  MPI_Comm_test_inter(comm, &inter);
  say("%s: rank %d of %d, remote %d, inter %d:", what, rank, size, remote, inter);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_group(comm, &groups[0]);
  MPI_Comm_remote_group(comm, &groups[1]);
  for (int side = 0; side < 2; ++side) {
    int n;
    MPI_Group_size(groups[side], &n);
    for (int i = 0; i < n; ++i) mine[i] = i;
    MPI_Group_translate_ranks(groups[side], n, mine, world, all);
    for (int i = 0; i < n; ++i) say(" %d", all[i]);
    say(side == 0 ? " |" : "\n");
    MPI_Group_free(&groups[side]);
  }
  MPI_Group_free(&world);
}

/** Every rank sends to every one of the other side, and asks for what comes in any order. */
static void talk(MPI_Comm comm) {
  int rank, remote;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_remote_size(comm, &remote);
  int out[16], sum = 0, from = 0;
  MPI_Request requests[16];
  for (int i = 0; i < remote; ++i) {
    out[i] = 100 * rank + i;
    MPI_Isend(&out[i], 1, MPI_INT, i, 5, comm, &requests[i]);
  }
  for (int i = 0; i < remote; ++i) {
    int in = -1;
    MPI_Status status;
    if (i % 2 == 0) {
      MPI_Probe(i, 5, comm, &status);
      MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, 5, comm, &status);
    } else {
      MPI_Message message;
      MPI_Mprobe(i, MPI_ANY_TAG, comm, &message, &status);
      MPI_Mrecv(&in, 1, MPI_INT, &message, &status);
    }
    sum += in;
    from += in / 100 == status.MPI_SOURCE && status.MPI_SOURCE == i;
  }
  MPI_Waitall(remote, requests, MPI_STATUSES_IGNORE);
  // Larger than what travels unasked, from whoever comes first.
  static double vector[4000], got[4000];
  for (int i = 0; i < 4000; ++i) vector[i] = rank + i;
  MPI_Request request;
  MPI_Status status;
  if (rank < remote) MPI_Isend(vector, 4000, MPI_DOUBLE, rank, 6, comm, &request);
  int have = rank < remote;
  if (have) {
    MPI_Recv(got, 4000, MPI_DOUBLE, MPI_ANY_SOURCE, 6, comm, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int count;
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    say("talk: sum %d, right %d, from %d, %d elements, last %g\n", sum, from, status.MPI_SOURCE, count, got[3999]);
  } else {
    say("talk: sum %d, right %d\n", sum, from);
  }
}

static void show_order(const char* what, MPI_Comm comm) {
  int rank, size, world = my_rank(), all[16], inter;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm_test_inter(comm, &inter);
  MPI_Allgather(&world, 1, MPI_INT, all, 1, MPI_INT, comm);
  say("%s: rank %d, inter %d:", what, rank, inter);
  for (int i = 0; i < size; ++i) say(" %d", all[i]);
  say("\n");
}

static int copied;
static int copy_it(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)keyval, (void)extra;
  ++copied;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int inter = -1;
  MPI_Comm_test_inter(MPI_COMM_WORLD, &inter);
  say("world: inter %d\n", inter);
  if (ranks > 1) {
    // Uneven sides: two thirds and a third, the second in reverse order.
    const int high = rank % 3 == 1;
    MPI_Comm side, comm, copy, other;
    MPI_Comm_split(MPI_COMM_WORLD, high, high ? -rank : rank, &side);
    int highest = 1;
    while (highest + 3 < ranks) highest += 3;
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, high ? 0 : highest, 12, &comm);
    describe("made", comm);
    talk(comm);
    int keyval, value = 4, *found = NULL, flag = 0;
    MPI_Comm_create_keyval(copy_it, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    MPI_Comm_set_attr(comm, keyval, &value);
    MPI_Comm_set_name(comm, "bridge");
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_get_attr(copy, keyval, &found, &flag);
    MPI_Info none;
    MPI_Info_create(&none);
    MPI_Comm_dup_with_info(comm, none, &other);
    MPI_Info_free(&none);
    say("copies %d, flag %d value %d; %s %s %s\n", copied, flag, flag ? *found : -1, relation(comm, copy),
        relation(comm, side), relation(other, comm));
    // Messages in a copy do not meet those in the original.
    int numbers[2] = {10 + rank, 20 + rank}, got[2] = {-1, -1}, here, remote;
    MPI_Comm_rank(comm, &here);
    MPI_Comm_remote_size(comm, &remote);
    if (here == 0) {
      MPI_Request both[2];
      MPI_Isend(&numbers[0], 1, MPI_INT, 0, 3, comm, &both[0]);
      MPI_Isend(&numbers[1], 1, MPI_INT, 0, 3, copy, &both[1]);
      MPI_Recv(&got[1], 1, MPI_INT, 0, 3, copy, MPI_STATUS_IGNORE);
      MPI_Recv(&got[0], 1, MPI_INT, 0, 3, comm, MPI_STATUS_IGNORE);
      MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    say("got %d %d\n", got[0], got[1]);
    MPI_Comm_free(&other);
    MPI_Comm_free(&copy);
    // Merged both ways.
    MPI_Comm merged;
    MPI_Intercomm_merge(comm, high, &merged);
    show_order("merged", merged);
    MPI_Comm_free(&merged);
    MPI_Intercomm_merge(comm, !high, &merged);
    show_order("merged otherwise", merged);
    MPI_Comm_free(&merged);
    MPI_Intercomm_merge(comm, 0, &merged);
    int all = 0;
    MPI_Comm_size(merged, &all);
    say("merged without order: %d\n", all);
    MPI_Comm_free(&merged);
    // Divided, so that the last color is on one side only.
    int local;
    MPI_Comm_size(comm, &local);
    const int pairs = local < remote ? local : remote;
    MPI_Comm part;
    MPI_Comm_split(comm, here < pairs ? here % 2 : 9, -here, &part);
    describe("part", part);
    if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
    MPI_Comm_split(comm, here == 0 ? 1 : MPI_UNDEFINED, 0, &part);
    describe("first", part);
    if (part != MPI_COMM_NULL) {
      talk(part);
      MPI_Comm_free(&part);
    }
    // Of groups: the first and the last of each side, the last before.
    MPI_Group group, chosen;
    MPI_Comm_group(comm, &group);
    const int places[2] = {local - 1, 0};
    MPI_Group_incl(group, local > 1 ? 2 : 1, places, &chosen);
    MPI_Comm_create(comm, chosen, &part);
    describe("ends", part);
    if (part != MPI_COMM_NULL) {
      talk(part);
      MPI_Comm_free(&part);
    }
    MPI_Group_free(&chosen);
    MPI_Group_free(&group);
    // A bridge between the leaders may be an intercommunicator too.
    MPI_Comm again;
    MPI_Intercomm_create(side, 0, comm, 0, 1, &again);
    say("again %s\n", relation(comm, again));
    MPI_Comm_disconnect(&again);
    MPI_Comm_free_keyval(&keyval);
    // Mistakes that are told at once, without the others.
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(side, MPI_ERRORS_RETURN);
    int class, sum = 0;
    MPI_Error_class(MPI_Send(&value, 1, MPI_INT, remote, 0, comm), &class);
    say("no such rank %d", class == MPI_ERR_RANK);
    MPI_Error_class(MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, comm), &class);
    say(", no scan %d", class == MPI_ERR_COMM);
    int dims = 1, periods = 0;
    MPI_Comm grid;
    MPI_Error_class(MPI_Cart_create(comm, 1, &dims, &periods, 0, &grid), &class);
    say(", no grid %d\n", class == MPI_ERR_COMM || class == MPI_ERR_TOPOLOGY);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&side);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
