// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Datatypes by size, by precision, and by their parts.
#include "program.h"

static int size_of(MPI_Datatype type) {
  int size = -1;
  MPI_Type_size(type, &size);
  return size;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Datatype type, again;
  for (int size = 1; size <= 8; size *= 2) {
    MPI_Type_match_size(MPI_TYPECLASS_INTEGER, size, &type);
    say("rank %d: integer of %d has %d\n", rank, size, size_of(type));
  }
  for (int size = 4; size <= 8; size *= 2) {
    MPI_Type_match_size(MPI_TYPECLASS_REAL, size, &type);
    say("rank %d: real of %d has %d\n", rank, size, size_of(type));
    MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 2 * size, &type);
    say("rank %d: complex of %d has %d\n", rank, 2 * size, size_of(type));
  }
  int class = -1;
  MPI_Error_class(MPI_Type_match_size(MPI_TYPECLASS_REAL, 5, &type), &class);
  say("rank %d: real of 5 %d\n", rank, class == MPI_ERR_ARG);
  MPI_Type_create_f90_real(6, 30, &type);
  MPI_Type_create_f90_real(6, 30, &again);
  say("rank %d: real %d, the same %d\n", rank, size_of(type), type == again);
  const float mine = (float)rank;
  float sum = -1;
  MPI_Allreduce(&mine, &sum, 1, type, MPI_SUM, MPI_COMM_WORLD);
  say("rank %d: sum %d\n", rank, sum == (float)(ranks * (ranks - 1) / 2));
  MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type);
  say("rank %d: real %d\n", rank, size_of(type));
  MPI_Type_create_f90_complex(MPI_UNDEFINED, 200, &type);
  say("rank %d: complex %d\n", rank, size_of(type));
  for (int range = 1; range <= 18; ++range) {
    MPI_Type_create_f90_integer(range, &type);
    say("rank %d: integer %d has %d\n", rank, range, size_of(type));
  }
  must("a type of Fortran is not freed", on_mpich() || MPI_Type_free(&type) != MPI_SUCCESS);
  must("too many digits are refused", MPI_Type_create_f90_real(100, 1, &type) != MPI_SUCCESS);
  MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type);
  say("rank %d: pair %d\n", rank, type == MPI_DOUBLE_INT);
  MPI_Type_get_value_index(MPI_INT, MPI_INT, &type);
  say("rank %d: pair %d\n", rank, type == MPI_2INT);
  MPI_Type_get_value_index(MPI_CHAR, MPI_INT, &type);
  say("rank %d: no pair %d\n", rank, type == MPI_DATATYPE_NULL);
  say_all();
  MPI_Finalize();
  return 0;
}
