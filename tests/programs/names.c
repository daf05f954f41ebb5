// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Names of communicators and datatypes: those that the standard gives, and those of the program.
#include "program.h"

static void tell_comm(const char* what, MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  memset(name, 'x', sizeof name);
  const int code = MPI_Comm_get_name(comm, name, &length);
  say("rank %d: %s '%s' of %d characters, code %d\n", my_rank(), what, name, length, code);
}

static void tell_type(const char* what, MPI_Datatype type) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  memset(name, 'x', sizeof name);
  const int code = MPI_Type_get_name(type, name, &length);
  say("rank %d: %s '%s' of %d characters, code %d\n", my_rank(), what, name, length, code);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  tell_comm("all", MPI_COMM_WORLD);
  tell_comm("one", MPI_COMM_SELF);
  tell_comm("none", MPI_COMM_NULL);
  MPI_Comm copy, copy_of_named;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  tell_comm("unnamed copy", copy);
  MPI_Comm_set_name(copy, "a name  with spaces ");
  tell_comm("named copy", copy);
  MPI_Comm_dup(copy, &copy_of_named);
  tell_comm("copy of named copy", copy_of_named);
  MPI_Comm_set_name(copy, "");
  tell_comm("no name again", copy);
  MPI_Comm_set_name(MPI_COMM_WORLD, "everybody");
  tell_comm("renamed", MPI_COMM_WORLD);

  static const MPI_Datatype types[] = {
      MPI_CHAR,
      MPI_SIGNED_CHAR,
      MPI_UNSIGNED_CHAR,
      MPI_BYTE,
      MPI_WCHAR,
      MPI_SHORT,
      MPI_UNSIGNED_SHORT,
      MPI_INT,
      MPI_UNSIGNED,
      MPI_LONG,
      MPI_UNSIGNED_LONG,
      MPI_UNSIGNED_LONG_LONG,
      MPI_FLOAT,
      MPI_DOUBLE,
      MPI_LONG_DOUBLE,
      MPI_INT8_T,
      MPI_INT16_T,
      MPI_INT32_T,
      MPI_INT64_T,
      MPI_UINT8_T,
      MPI_UINT16_T,
      MPI_UINT32_T,
      MPI_UINT64_T,
      MPI_C_BOOL,
      MPI_C_DOUBLE_COMPLEX,
      MPI_AINT,
      MPI_COUNT,
      MPI_OFFSET,
      MPI_PACKED,
      MPI_FLOAT_INT,
      MPI_DOUBLE_INT,
      MPI_LONG_INT,
      MPI_2INT,
      MPI_SHORT_INT,
      MPI_LONG_DOUBLE_INT,
  };
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) tell_type("predefined", types[i]);
  tell_type("none", MPI_DATATYPE_NULL);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  tell_type("unnamed", pair);
  MPI_Type_set_name(pair, "pair of integers");
  tell_type("named", pair);
  char longest[MPI_MAX_OBJECT_NAME];
  memset(longest, 'n', sizeof longest);
  longest[sizeof longest - 1] = '\0';
  MPI_Type_set_name(pair, longest);
  tell_type("longest", pair);
  MPI_Type_free(&pair);
  MPI_Comm_free(&copy_of_named);
  MPI_Comm_free(&copy);
  int class = -1;
  MPI_Error_class(MPI_Comm_set_name(MPI_COMM_NULL, "nobody"), &class);
  say("rank %d: naming none is an error of communicators %d\n", my_rank(), class == MPI_ERR_COMM);
  say_all();
  MPI_Finalize();
  return 0;
}
