// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// What types are made of can be asked, level by level, down to the basic types.
#include "program.h"

static void tell(MPI_Datatype type, int depth) {
  int integers, addresses, types, combiner;
  MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  const char* const name = combiner == MPI_COMBINER_NAMED        ? "named"
                           : combiner == MPI_COMBINER_DUP        ? "dup"
                           : combiner == MPI_COMBINER_CONTIGUOUS ? "contiguous"
                           : combiner == MPI_COMBINER_VECTOR     ? "vector"
                           : combiner == MPI_COMBINER_HVECTOR    ? "hvector"
                           : combiner == MPI_COMBINER_INDEXED    ? "indexed"
                           : combiner == MPI_COMBINER_STRUCT     ? "struct"
                           : combiner == MPI_COMBINER_RESIZED    ? "resized"
                                                                 : "other";
  say("%*s%s %d %d %d:", 2 * depth, "", name, integers, addresses, types);
  if (combiner == MPI_COMBINER_NAMED) {
    int size;
    MPI_Type_size(type, &size);
    say(" %d bytes\n", size);
    return;
  }
  int numbers[16];
  MPI_Aint places[16];
  MPI_Datatype parts[16];
  MPI_Type_get_contents(type, 16, 16, 16, numbers, places, parts);
  for (int i = 0; i < integers; ++i) say(" %d", numbers[i]);
  for (int i = 0; i < addresses; ++i) say(" @%ld", (long)places[i]);
  say("\n");
  for (int i = 0; i < types; ++i) {
    tell(parts[i], depth + 1);
    MPI_Type_get_envelope(parts[i], &integers, &addresses, &numbers[0], &combiner);
    if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(&parts[i]);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  MPI_Datatype row, strided, indexed, record, sized, copy;
  MPI_Type_contiguous(3 + rank % 2, MPI_INT, &row);
  MPI_Type_create_hvector(2, 1, 64, row, &strided);
  const int lengths[2] = {1, 2}, places[2] = {5, 0};
  MPI_Type_indexed(2, lengths, places, MPI_DOUBLE, &indexed);
  const MPI_Aint at[2] = {0, 256};
  const MPI_Datatype parts[2] = {strided, indexed};
  MPI_Type_create_struct(2, lengths, at, parts, &record);
  MPI_Type_create_resized(record, -16, 1024, &sized);
  MPI_Type_dup(sized, &copy);
  MPI_Type_free(&row);
  MPI_Type_free(&strided);
  MPI_Type_free(&indexed);
  MPI_Type_free(&record);
  MPI_Type_free(&sized);
  tell(copy, 0);
  MPI_Type_free(&copy);
  say_all();
  MPI_Finalize();
  return 0;
}
