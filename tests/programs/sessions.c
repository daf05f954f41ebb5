// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Sessions: process sets and their groups, handlers, one session after another, before and beside MPI_Init.
#include "program.h"

static int calls;
static void note(MPI_Session* session, int* code, ...) {
  (void)session;
  int class = -1;
  MPI_Error_class(*code, &class);
  calls += class == MPI_ERR_OTHER ? 1 : 100;
}

int main(int argc, char** argv) {
  for (int turn = 0; turn < 2; ++turn) {
    MPI_Session session, other;
    MPI_Errhandler handler, now;
    MPI_Session_create_errhandler(note, &handler);
    MPI_Info threads = MPI_INFO_NULL;
    int refused = 1;
    if (turn == 1) {
      MPI_Info_create(&threads);
      MPI_Info_set(threads, "thread_level", "MPI_THREAD_ANY");
      refused = MPI_Session_init(threads, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS;
      MPI_Info_set(threads, "thread_level", "MPI_THREAD_SERIALIZED");
    }
    MPI_Session_init(threads, MPI_ERRORS_RETURN, &session);
    MPI_Session_init(MPI_INFO_NULL, handler, &other);
    if (turn == 1) MPI_Info_free(&threads);
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
    int flag = 0;
    int rank, ranks;
    MPI_Info info;
    char value[16] = "";
    int length = sizeof value;
    MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
    MPI_Info_get_string(info, "mpi_size", &length, value, &flag);
    MPI_Info_free(&info);
    char level[32] = "";
    int has_level = 0, level_length = sizeof level;
    MPI_Session_get_info(session, &info);
    MPI_Info_get_string(info, "thread_level", &level_length, level, &has_level);
    MPI_Info_free(&info);
    MPI_Session_get_errhandler(other, &now);
    const bool same = now == handler;
    MPI_Errhandler_free(&now);
    MPI_Errhandler_free(&handler);
    calls = 0;
    MPI_Session_call_errhandler(other, MPI_ERR_OTHER);
    MPI_Session_set_errhandler(other, MPI_ERRORS_RETURN);
    MPI_Session_call_errhandler(other, MPI_ERR_OTHER);
    MPI_Group world, self;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Group_rank(world, &rank);
    MPI_Group_size(world, &ranks);
    MPI_Group_free(&world);
    int members = 0;
    MPI_Group_from_session_pset(session, "mpi://SELF", &self);
    MPI_Group_size(self, &members);
    MPI_Group_free(&self);
    say("turn %d, rank %d of %d: initialized %d, sets known %d, told %d, handler %d called %d, self %d\n", turn, rank,
        ranks, initialized, known >= 2, flag && atoi(value) == ranks, same, calls, members);
    say("thread level known %d: %s, another refused %d\n", has_level, level, refused);
    MPI_Session_finalize(&other);
    MPI_Session_finalize(&session);
    if (session != MPI_SESSION_NULL) abort();
  }
  MPI_Session beside;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &beside);
  MPI_Init(&argc, &argv);
  say_all();
  MPI_Finalize();
  int finalized = 0, sets = -1;
  MPI_Finalized(&finalized);
  MPI_Session_get_num_psets(beside, MPI_INFO_NULL, &sets);
  if (!finalized || sets < 2) abort();
  MPI_Session_finalize(&beside);
  return 0;
}
