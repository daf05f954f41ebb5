// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// The tool interface lists its variables, finds each by its name, and is opened and closed beside MPI.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  int provided, count, wrong = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_cvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    char name[256];
    int length = sizeof name, verbosity, binding, scope, index = -1;
    MPI_Datatype type;
    MPI_T_enum items;
    if (MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &items, NULL, NULL, &binding, &scope) != MPI_SUCCESS) {
      continue;
    }
    MPI_T_cvar_get_index(name, &index);
    wrong += index != i;
  }
  int none;
  say("some %d, wrong %d, unknown %d\n", count > 0, wrong,
      MPI_T_cvar_get_index("no such variable", &none) != MPI_SUCCESS);
  MPI_T_pvar_session session;
  MPI_T_pvar_session_create(&session);
  MPI_T_pvar_session_free(&session);
  say("null %d\n", session == MPI_T_PVAR_SESSION_NULL);
  MPI_T_finalize();
  MPI_T_finalize();
  say("rank %d\n", rank);
  say_all();
  MPI_Finalize();
  return 0;
}
