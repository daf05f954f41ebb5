// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Error classes and codes of the program: their texts, how they are removed, and what handlers are told.
#include "program.h"

static int seen_code, seen_class;

static void note(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  seen_code = *code;
  MPI_Error_class(*code, &seen_class);
}

static int last_used(void) {
  int *value, flag;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
  return flag ? *value : -1;
}

static bool is_class(int code, int expected) {
  int class = -1;
  MPI_Error_class(code, &class);
  return class == expected;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  char text[MPI_MAX_ERROR_STRING];
  int class, code, other, length;
  MPI_Add_error_class(&class);
  MPI_Add_error_code(class, &code);
  MPI_Add_error_code(MPI_ERR_OTHER, &other);
  say("rank %d: new ones are above the standard's %d\n", rank, class > MPI_ERR_LASTCODE && code > MPI_ERR_LASTCODE);
  say("rank %d: all differ %d\n", rank, class != code && code != other && class != other);
  say("rank %d: the last code that is used is known %d\n", rank, last_used() >= class);
  say("rank %d: classes %d %d %d\n", rank, is_class(class, class), is_class(code, class),
      is_class(other, MPI_ERR_OTHER));
  MPI_Error_string(code, text, &length);
  say("rank %d: at first '%s' of %d characters\n", rank, text, length);
  MPI_Add_error_string(class, "class of ours");
  MPI_Add_error_string(code, "code of ours");
  MPI_Error_string(class, text, &length);
  say("rank %d: '%s' of %d characters\n", rank, text, length);
  MPI_Error_string(code, text, &length);
  say("rank %d: '%s' of %d characters\n", rank, text, length);
  MPI_Add_error_string(code, "another text");
  MPI_Error_string(code, text, &length);
  say("rank %d: '%s' of %d characters\n", rank, text, length);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
  say("rank %d: handler has the code %d and its class %d\n", rank, seen_code == code, seen_class == class);
  MPI_Errhandler_free(&handler);

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  must("the text of a standard class cannot be set", MPI_Add_error_string(MPI_ERR_ARG, "x") != MPI_SUCCESS);
  say("rank %d: standard class cannot be removed %d\n", rank, MPI_Remove_error_class(MPI_ERR_ARG) != MPI_SUCCESS);
  say("rank %d: class with codes cannot be removed %d\n", rank, MPI_Remove_error_class(class) != MPI_SUCCESS);
  MPI_Remove_error_string(code);
  must("a code without a text is removed", MPI_Remove_error_code(code) == MPI_SUCCESS);
  MPI_Remove_error_string(class);
  must("a class without codes is removed", MPI_Remove_error_class(class) == MPI_SUCCESS);
  must("a code is removed", MPI_Remove_error_code(other) == MPI_SUCCESS);
  must("nothing of ours is left", last_used() == MPI_ERR_LASTCODE);
  for (int known = MPI_SUCCESS; known <= MPI_ERR_ABI; ++known) {
    MPI_Error_string(known, text, &length);
    if (!is_class(known, known) || length < 1 || (size_t)length != strlen(text))
      say("rank %d: OTHER %d\n", rank, known);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
