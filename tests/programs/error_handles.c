// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Handles of error handlers: each one that the program gets is freed by itself, and handlers are called for their kind.
#include "program.h"

static int calls;

static void note(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++calls;
}
static void note_file(MPI_File* file, int* code, ...) {
  (void)file, (void)code;
  calls += 100;
}
static void note_window(MPI_Win* window, int* code, ...) { (void)window, (void)code; }
static void note_session(MPI_Session* session, int* code, ...) { (void)session, (void)code; }

static int state_calls, states_gone;
static void note_state(MPI_Comm comm, int code, void* state) {
  (void)comm, (void)code;
  ++*(int*)state;
}
static void note_state_of_file(MPI_File file, int code, void* state) {
  (void)file, (void)code;
  ++*(int*)state;
}
static void note_state_of_window(MPI_Win window, int code, void* state) { (void)window, (void)code, (void)state; }
static void note_state_of_session(MPI_Session session, int code, void* state) {
  (void)session, (void)code, (void)state;
}
static void forget(void* state) {
  (void)state;
  ++states_gone;
}

#pragma weak MPIX_File_create_errhandler_x
#pragma weak MPIX_Win_create_errhandler_x
#pragma weak MPIX_Session_create_errhandler_x
#pragma weak MPIX_Comm_create_errhandler_x  // MPICH's library does not have it

/** Handlers with a state of their own, as other languages need them. */
static void with_state(void) {
  if (MPIX_Comm_create_errhandler_x == NULL) return;
  MPI_Errhandler handler, of_file, of_window, of_session;
  MPIX_Comm_create_errhandler_x(note_state, forget, &state_calls, &handler);
  MPIX_File_create_errhandler_x(note_state_of_file, forget, &state_calls, &of_file);
  MPIX_Win_create_errhandler_x(note_state_of_window, forget, &state_calls, &of_window);
  MPIX_Session_create_errhandler_x(note_state_of_session, forget, &state_calls, &of_session);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  int value = 0;
  MPI_Send(&value, 1, MPI_INT, all_ranks(), 0, comm);
  MPI_File_set_errhandler(MPI_FILE_NULL, of_file);
  MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  must("handlers with state are called", state_calls == 2);
  MPI_Comm_free(&comm);
  MPI_Errhandler_free(&of_session);
  MPI_Errhandler_free(&of_window);
  MPI_Errhandler_free(&of_file);
  must("states are given back", states_gone == 4);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Errhandler handler, first, second, third;
  MPI_Comm comm, copy;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_get_errhandler(copy, &first);
  say("rank %d: freed %d", rank, MPI_Errhandler_free(&first));
  say(" %d\n", MPI_Errhandler_free(&handler));
  MPI_Comm_get_errhandler(comm, &second);
  MPI_Comm_get_errhandler(copy, &third);
  say("rank %d: the same handler %d\n", rank, second == third);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, second);
  say("rank %d: freed %d", rank, MPI_Errhandler_free(&second));
  say(" %d, null %d\n", MPI_Errhandler_free(&third), third == MPI_ERRHANDLER_NULL);
  int value = 0;
  MPI_Send(&value, 1, MPI_INT, ranks, 0, comm);
  MPI_Send(&value, 1, MPI_INT, ranks, 0, copy);
  MPI_Send(&value, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD);
  say("rank %d: calls %d\n", rank, calls);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);

  calls = 0;
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  MPI_Errhandler of_file, of_window, of_session;
  MPI_File_create_errhandler(note_file, &of_file);
  MPI_Win_create_errhandler(note_window, &of_window);
  MPI_Session_create_errhandler(note_session, &of_session);
  must("a handler of files is refused for a communicator", MPI_Comm_set_errhandler(copy, of_file) != MPI_SUCCESS);
  must("a handler of windows is refused for a communicator", MPI_Comm_set_errhandler(copy, of_window) != MPI_SUCCESS);
  MPI_Errhandler now;
  MPI_File_get_errhandler(MPI_FILE_NULL, &now);
  say("rank %d: errors of files are returned %d\n", rank, now == MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&now);
  MPI_File_set_errhandler(MPI_FILE_NULL, of_file);
  MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO);
  say("rank %d: calls %d\n", rank, calls);
  MPI_Errhandler_free(&of_session);
  MPI_Errhandler_free(&of_window);
  MPI_Errhandler_free(&of_file);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  with_state();
  say_all();
  MPI_Finalize();
  return 0;
}
