// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// The tool interface: all control and performance variables and categories are looked at, and a counter is used.
#include "program.h"

enum { ROOM = 4096 };
static char name[ROOM], text[ROOM];
static long long value[ROOM];

/** Each control variable has a name that leads back to it, and can be read. */
static bool controls_are_right(void) {
  int controls = 0;
  bool right = MPI_T_cvar_get_num(&controls) == MPI_SUCCESS && controls > 0;
  for (int i = 0; i < controls; ++i) {
    int length = ROOM, described = ROOM, verbosity, bind, scope, index = -1, count = 0;
    MPI_Datatype type;
    MPI_T_enum items;
    MPI_T_cvar_handle handle;
    right &= MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &items, text, &described, &bind, &scope) ==
             MPI_SUCCESS;
    right &= MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS && index == i;
    if (items != MPI_T_ENUM_NULL) {
      int numbers = 0, number;
      right &= MPI_T_enum_get_info(items, &numbers, name, &(int){ROOM}) == MPI_SUCCESS && numbers > 0;
      right &= MPI_T_enum_get_item(items, 0, &number, name, &(int){ROOM}) == MPI_SUCCESS && strlen(name) > 0;
    }
    if (bind != MPI_T_BIND_NO_OBJECT) continue;
    right &= MPI_T_cvar_handle_alloc(i, NULL, &handle, &count) == MPI_SUCCESS && count > 0;
    right &= MPI_T_cvar_read(handle, value) == MPI_SUCCESS;
    if (scope == MPI_T_SCOPE_CONSTANT) right &= MPI_T_cvar_write(handle, value) != MPI_SUCCESS;
    right &= MPI_T_cvar_handle_free(&handle) == MPI_SUCCESS && handle == MPI_T_CVAR_HANDLE_NULL;
  }
  return right;
}

/** Each performance variable has a name that leads back to it, and a value after it has been started. */
static bool performance_is_right(MPI_T_pvar_session session) {
  int variables = 0;
  bool right = MPI_T_pvar_get_num(&variables) == MPI_SUCCESS;
  for (int i = 0; i < variables; ++i) {
    int length = ROOM, described = ROOM, verbosity, kind, bind, readonly, continuous, atomic, index = -1, count = 0;
    MPI_Datatype type;
    MPI_T_enum items;
    MPI_T_pvar_handle handle;
    right &= MPI_T_pvar_get_info(i, name, &length, &verbosity, &kind, &type, &items, text, &described, &bind, &readonly,
                                 &continuous, &atomic) == MPI_SUCCESS;
    right &= MPI_T_pvar_get_index(name, kind, &index) == MPI_SUCCESS && index == i;
    if (bind != MPI_T_BIND_NO_OBJECT || type != MPI_UNSIGNED_LONG_LONG || kind != MPI_T_PVAR_CLASS_COUNTER) continue;
    right &= MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &count) == MPI_SUCCESS && count == 1;
    if (!continuous) {
      right &= MPI_T_pvar_start(session, handle) == MPI_SUCCESS;
      MPI_Barrier(MPI_COMM_WORLD);
      right &= MPI_T_pvar_stop(session, handle) == MPI_SUCCESS;
    }
    unsigned long long before = 0, after = 1;
    right &= MPI_T_pvar_read(session, handle, &before) == MPI_SUCCESS;
    MPI_Barrier(MPI_COMM_WORLD);
    right &= MPI_T_pvar_read(session, handle, &after) == MPI_SUCCESS && (continuous || before == after);
    if (!readonly) {
      right &= MPI_T_pvar_reset(session, handle) == MPI_SUCCESS;
      right &= MPI_T_pvar_read(session, handle, &after) == MPI_SUCCESS && after == 0;
      before = 5;
      right &= MPI_T_pvar_write(session, handle, &before) == MPI_SUCCESS;
      if (atomic) {
        right &= MPI_T_pvar_readreset(session, handle, &after) == MPI_SUCCESS && after == 5;
        right &= MPI_T_pvar_readreset(session, handle, &after) == MPI_SUCCESS && after == 0;
      }
    }
    right &= MPI_T_pvar_handle_free(session, &handle) == MPI_SUCCESS && handle == MPI_T_PVAR_HANDLE_NULL;
  }
  return right;
}

/** The members of each category are as many as it says. */
static bool categories_are_right(void) {
  int categories = 0, stamp = -1;
  static int members[ROOM];
  bool right = MPI_T_category_get_num(&categories) == MPI_SUCCESS && MPI_T_category_changed(&stamp) == MPI_SUCCESS;
  for (int i = 0; i < categories; ++i) {
    int length = ROOM, described = ROOM, controls, variables, inner, events, index = -1;
    right &= MPI_T_category_get_info(i, name, &length, text, &described, &controls, &variables, &inner) == MPI_SUCCESS;
    right &= MPI_T_category_get_index(name, &index) == MPI_SUCCESS && index == i;
    right &= MPI_T_category_get_cvars(i, ROOM, members) == MPI_SUCCESS;
    right &= MPI_T_category_get_pvars(i, ROOM, members) == MPI_SUCCESS;
    right &= MPI_T_category_get_categories(i, ROOM, members) == MPI_SUCCESS;
    right &= MPI_T_category_get_num_events(i, &events) == MPI_SUCCESS;
    right &= MPI_T_category_get_events(i, ROOM, members) == MPI_SUCCESS;
  }
  return right;
}

int main(int argc, char** argv) {
  int number = 0, provided = -1;
  const bool early = MPI_T_cvar_get_num(&number) == MPI_T_ERR_NOT_INITIALIZED;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Init(&argc, &argv);
  MPI_T_finalize();
  MPI_T_pvar_session session;
  say("rank %d: refused before %d, level %d\n", my_rank(), early, provided >= MPI_THREAD_SINGLE);
  const bool controls = controls_are_right();
  MPI_T_pvar_session_create(&session);
  const bool variables = performance_is_right(session);
  say("rank %d: controls %d, variables %d, categories %d\n", my_rank(), controls, variables, categories_are_right());
  MPI_T_pvar_session_free(&session);
  const bool no_index = MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) != MPI_SUCCESS;
  const bool no_name = MPI_T_pvar_get_index("no such variable", MPI_T_PVAR_CLASS_COUNTER, &number) != MPI_SUCCESS;
  const bool no_events = MPI_T_event_get_num(&number) == MPI_SUCCESS && number >= 0 &&
                         MPI_T_source_get_num(&number) == MPI_SUCCESS && number >= 0;
  say("rank %d: no index %d, no name %d, events %d, session %d\n", my_rank(), no_index, no_name, no_events,
      session == MPI_T_PVAR_SESSION_NULL);
  say_all();
  MPI_Finalize();
  MPI_T_finalize();
  return 0;
}
