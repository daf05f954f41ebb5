// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Constructors whose counts have 64 bits make the same types as those of 32 bits.
#include "program.h"

static void describe(const char* name, MPI_Datatype type) {
  MPI_Count size, lower, extent, true_lower, true_extent;
  MPI_Type_size_c(type, &size);
  MPI_Type_get_extent_c(type, &lower, &extent);
  MPI_Type_get_true_extent_c(type, &true_lower, &true_extent);
  say("%s: %lld, %lld %lld, %lld %lld\n", name, (long long)size, (long long)lower, (long long)extent,
      (long long)true_lower, (long long)true_extent);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  const MPI_Count lengths[3] = {2, 0, 1}, places[3] = {4, 9, 0}, bytes[3] = {0, 100, 8};
  const MPI_Count sizes[2] = {6, 7}, sub[2] = {2, 3}, starts[2] = {1, 4};
  const MPI_Datatype kinds[3] = {MPI_INT, MPI_CHAR, MPI_DOUBLE};
  MPI_Datatype types[9];
  MPI_Type_contiguous_c(5, MPI_DOUBLE, &types[0]);
  MPI_Type_vector_c(3, 2, 4, MPI_INT, &types[1]);
  MPI_Type_create_hvector_c(3, 1, 20, MPI_SHORT, &types[2]);
  MPI_Type_indexed_c(3, lengths, places, MPI_INT, &types[3]);
  MPI_Type_create_hindexed_c(3, lengths, bytes, MPI_INT, &types[4]);
  MPI_Type_create_indexed_block_c(3, 2, places, MPI_CHAR, &types[5]);
  MPI_Type_create_struct_c(3, lengths, bytes, kinds, &types[6]);
  MPI_Type_create_subarray_c(2, sizes, sub, starts, MPI_ORDER_C, MPI_INT, &types[7]);
  MPI_Type_create_resized_c(types[1], -8, 100, &types[8]);
  const char* const names[9] = {"contiguous", "vector", "hvector",  "indexed", "hindexed",
                                "block",      "struct", "subarray", "resized"};
  for (int i = 0; i < 9; ++i) {
    MPI_Type_commit(&types[i]);
    describe(names[i], types[i]);
    MPI_Type_free(&types[i]);
  }
  // Far beyond what 32 bits count, without a byte of memory.
  MPI_Datatype mega, huge;
  MPI_Type_contiguous_c(3000000000, MPI_DOUBLE, &mega);
  MPI_Type_contiguous_c(5, mega, &huge);
  describe("huge", huge);
  int size;
  MPI_Type_size(huge, &size);
  say("undefined %d, rank %d\n", size == MPI_UNDEFINED, rank);
  MPI_Type_free(&mega);
  MPI_Type_free(&huge);
  say_all();
  MPI_Finalize();
  return 0;
}
