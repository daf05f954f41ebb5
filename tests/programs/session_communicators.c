// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Sessions without MPI_Init: process sets, groups and communicators of them, handlers, one session after another.
#include "program.h"

static int calls;
static void note(MPI_Session* session, int* code, ...) {
  (void)session;
  int class = -1;
  MPI_Error_class(*code, &class);
  calls += class == MPI_ERR_OTHER ? 1 : 100;
}

/** A communicator of all, from a session. */
static MPI_Comm everybody(MPI_Session session) {
  MPI_Group group;
  MPI_Comm comm;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "org.tidings.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&group);
  return comm;
}

int main(void) {
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Session session, other;
    MPI_Errhandler handler, now;
    MPI_Session_create_errhandler(note, &handler);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Session_init(MPI_INFO_NULL, handler, &other);
    int initialized = -1, sets = -1, known = 0;
    MPI_Initialized(&initialized);
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
    for (int i = 0; i < sets; ++i) {
      char name[MPI_MAX_PSET_NAME_LEN];
      int length = 0;
      MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
      const int needed = length;
      MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
      known += (strcmp(name, "mpi://WORLD") == 0 || strcmp(name, "mpi://SELF") == 0) && needed == (int)strlen(name) + 1;
    }
    MPI_Comm comm = everybody(session);
    int rank, ranks, sum = -1, flag = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Info info;
    char value[16] = "";
    int length = sizeof value;
    MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
    MPI_Info_get_string(info, "mpi_size", &length, value, &flag);
    MPI_Info_free(&info);
    MPI_Session_get_info(session, &info);
    MPI_Info_free(&info);
    MPI_Session_get_errhandler(other, &now);
    const bool same = now == handler;
    MPI_Errhandler_free(&now);
    MPI_Errhandler_free(&handler);
    calls = 0;
    MPI_Session_call_errhandler(other, MPI_ERR_OTHER);
    MPI_Session_set_errhandler(other, MPI_ERRORS_RETURN);
    MPI_Session_call_errhandler(other, MPI_ERR_OTHER);
    int class = -1, value_out = 0;
    MPI_Error_class(MPI_Send(&value_out, 1, MPI_INT, ranks, 0, comm), &class);
    MPI_Group self;
    int members = 0;
    MPI_Group_from_session_pset(session, "mpi://SELF", &self);
    MPI_Group_size(self, &members);
    MPI_Group_free(&self);
    if (rank == 0) {
      printf(
          "turn %d: initialized %d, sets known %d, ranks %d, sum %d, told %d, handler %d called %d, class %d, self "
          "%d\n",
          turn, initialized, known >= 2, ranks, sum, flag && atoi(value) == ranks, same, calls, class == MPI_ERR_RANK,
          members);
      fflush(stdout);
    }
    // Two groups: the even ranks and the odd ones.
    if (ranks > 1) {
      MPI_Group world, sides[2];
      MPI_Comm inter, merged;
      int size, remote, order = -1;
      MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
      for (int side = 0; side < 2; ++side) {
        int range[1][3] = {{side, ranks - 1, 2}};
        MPI_Group_range_incl(world, 1, range, &sides[side]);
      }
      MPI_Intercomm_create_from_groups(sides[rank % 2], 0, sides[!(rank % 2)], 0, "even and odd", MPI_INFO_NULL,
                                       MPI_ERRORS_ARE_FATAL, &inter);
      MPI_Comm_size(inter, &size);
      MPI_Comm_remote_size(inter, &remote);
      MPI_Intercomm_merge(inter, rank % 2 == 0, &merged);
      MPI_Comm_rank(merged, &order);
      int places[16];
      MPI_Gather(&order, 1, MPI_INT, places, 1, MPI_INT, 0, comm);
      if (rank == 0) {
        printf("sides of %d and %d, order", size, remote);
        for (int i = 0; i < ranks; ++i) printf(" %d", places[i]);
        printf("\n");
        fflush(stdout);
      }
      MPI_Comm_free(&merged);
      MPI_Comm_free(&inter);
      for (int side = 0; side < 2; ++side) MPI_Group_free(&sides[side]);
      MPI_Group_free(&world);
    }
    // A group of some: others do not take part.
    MPI_Group all, first;
    MPI_Comm alone = MPI_COMM_NULL;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_incl(all, 1, (const int[]){0}, &first);
    if (rank == 0) {
      int one = -1;
      MPI_Comm_create_from_group(first, "alone", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &alone);
      MPI_Comm_size(alone, &one);
      printf("alone %d\n", one);
      fflush(stdout);
      MPI_Comm_free(&alone);
    }
    MPI_Group_free(&first);
    MPI_Group_free(&all);
    MPI_Comm_disconnect(&comm);
    MPI_Session_finalize(&other);
    MPI_Session_finalize(&session);
    if (session != MPI_SESSION_NULL) abort();
  }
  return 0;
}
