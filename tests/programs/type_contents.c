// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// How a datatype was made: envelopes and contents of every kind, from which each type is made once more.
#include "program.h"

enum { MOST = 32 };

static void tell(const char* what, MPI_Datatype type) {
  int integers, addresses, types, combiner;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  say("rank %d: %s %d integers %d addresses %d types combiner %d\n", my_rank(), what, integers, addresses, types,
      combiner);
  if (combiner == MPI_COMBINER_NAMED) return;
  int i[MOST];
  MPI_Aint a[MOST];
  MPI_Datatype d[MOST];
  MPI_Type_get_contents(type, MOST, MOST, MOST, i, a, d);
  say("rank %d: ", my_rank());
  for (int n = 0; n < integers; ++n) say(" %d", i[n]);
  say(" |");
  for (int n = 0; n < addresses; ++n) say(" %ld", (long)a[n]);
  say(" |");
  for (int n = 0; n < types; ++n) {
    int size, inner_i, inner_a, inner_d, inner;
    MPI_Type_size(d[n], &size);
    MPI_Type_get_envelope(d[n], &inner_i, &inner_a, &inner_d, &inner);
    say(" %d %s", size, inner == MPI_COMBINER_NAMED ? "named" : "derived");
    if (inner != MPI_COMBINER_NAMED) MPI_Type_free(&d[n]);
  }
  say("\n");
}

static void tell_large(const char* what, MPI_Datatype type) {
  MPI_Count integers, addresses, counts, types, c[MOST];
  int combiner, i[MOST];
  MPI_Aint a[MOST];
  MPI_Datatype d[MOST];
  MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
  say("rank %d: %s %d %d %d %d combiner %d:", my_rank(), what, (int)integers, (int)addresses, (int)counts, (int)types,
      combiner);
  MPI_Type_get_contents_c(type, MOST, MOST, MOST, MOST, i, a, c, d);
  for (int n = 0; n < integers; ++n) say(" %d", i[n]);
  say(" |");
  for (int n = 0; n < counts; ++n) say(" %ld", (long)c[n]);
  say("\n");
  int class, unused;
  MPI_Error_class(MPI_Type_get_envelope(type, &unused, &unused, &unused, &unused), &class);
  say("rank %d: %s asked for as a small one: %d\n", my_rank(), what, class == MPI_ERR_TYPE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Datatype base, type;
  MPI_Type_vector(2, 1, 3, MPI_INT, &base);
  tell("predefined", MPI_INT);
  tell("pair", MPI_DOUBLE_INT);
  tell("vector", base);
  const int lengths[] = {1, 2, 3}, places[] = {7, 0, 20};
  const MPI_Aint bytes[] = {-8, 40, 80};
  const MPI_Datatype types[] = {MPI_CHAR, base, MPI_DOUBLE};
  MPI_Type_contiguous(3, base, &type);
  tell("contiguous", type);
  MPI_Type_free(&type);
  MPI_Type_create_hvector(2, 3, 100, base, &type);
  tell("hvector", type);
  MPI_Type_free(&type);
  MPI_Type_indexed(3, lengths, places, MPI_INT, &type);
  tell("indexed", type);
  MPI_Type_free(&type);
  MPI_Type_create_hindexed(3, lengths, bytes, base, &type);
  tell("hindexed", type);
  MPI_Type_free(&type);
  MPI_Type_create_indexed_block(3, 4, places, MPI_INT, &type);
  tell("indexed block", type);
  MPI_Type_free(&type);
  MPI_Type_create_hindexed_block(3, 4, bytes, MPI_INT, &type);
  tell("hindexed block", type);
  MPI_Type_free(&type);
  MPI_Type_create_struct(3, lengths, bytes, types, &type);
  tell("struct", type);
  MPI_Type_free(&type);
  const int sizes[] = {4, 5}, parts[] = {2, 3}, starts[] = {1, 0};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
  tell("subarray", type);
  MPI_Type_free(&type);
  const int distributions[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
            arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[] = {2, 2};
  MPI_Type_create_darray(4, 3, 2, sizes, distributions, arguments, grid, MPI_ORDER_C, MPI_INT, &type);
  tell("distributed array", type);
  MPI_Type_free(&type);
  MPI_Type_create_resized(base, -4, 64, &type);
  tell("resized", type);
  MPI_Type_free(&type);
  MPI_Type_dup(base, &type);
  tell("copy", type);
  MPI_Type_free(&type);
  MPI_Type_create_f90_real(6, 30, &type);
  tell("real of Fortran", type);
  MPI_Type_create_f90_complex(15, 200, &type);
  tell("complex of Fortran", type);
  MPI_Type_create_f90_integer(9, &type);
  tell("integer of Fortran", type);

  const MPI_Count wide_lengths[] = {1, 2}, wide_places[] = {3, 0}, wide_sizes[] = {4, 5}, wide_parts[] = {2, 3},
                  wide_starts[] = {1, 0};
  MPI_Type_contiguous_c(3, MPI_INT, &type);
  tell_large("contiguous", type);
  MPI_Type_free(&type);
  MPI_Type_vector_c(3, 2, 4, MPI_INT, &type);
  tell_large("vector", type);
  MPI_Type_free(&type);
  MPI_Type_create_hvector_c(3, 2, 40, MPI_INT, &type);
  tell_large("hvector", type);
  MPI_Type_free(&type);
  MPI_Type_indexed_c(2, wide_lengths, wide_places, MPI_INT, &type);
  tell_large("indexed", type);
  MPI_Type_free(&type);
  MPI_Type_create_struct_c(2, wide_lengths, wide_places, types, &type);
  tell_large("struct", type);
  MPI_Type_free(&type);
  MPI_Type_create_subarray_c(2, wide_sizes, wide_parts, wide_starts, MPI_ORDER_C, MPI_INT, &type);
  tell_large("subarray", type);
  MPI_Type_free(&type);
  MPI_Type_create_darray_c(4, 3, 2, wide_sizes, distributions, arguments, grid, MPI_ORDER_C, MPI_INT, &type);
  tell_large("distributed array", type);
  MPI_Type_free(&type);
  MPI_Type_create_resized_c(MPI_INT, -4, 64, &type);
  tell_large("resized", type);
  MPI_Type_free(&type);

  int class = -1, number;
  MPI_Aint address;
  MPI_Datatype inner;
  MPI_Error_class(MPI_Type_get_contents(MPI_INT, 1, 1, 1, &number, &address, &inner), &class);
  say("rank %d: a predefined type has no contents %d\n", my_rank(), class == MPI_ERR_TYPE);
  must("too little room is an error", MPI_Type_get_contents(base, 1, 1, 1, &number, &address, &inner) != MPI_SUCCESS);
  MPI_Type_free(&base);
  say_all();
  MPI_Finalize();
  return 0;
}
