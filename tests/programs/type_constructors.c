// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Derived datatypes of every kind: sizes, bounds, what a message of them holds, and the variants for large counts.
#include "program.h"

enum { BYTES = 4096 };

static unsigned char out[BYTES], in[BYTES], flat[BYTES];

/** Tell all of a type, send one element round the ring, as itself and as bytes; then free it. */
static void tell(const char* what, MPI_Datatype type) {
  const int rank = my_rank(), ranks = all_ranks(), to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  int size;
  MPI_Aint lower, extent, true_lower, true_extent;
  MPI_Type_commit(&type);
  MPI_Type_size(type, &size);
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_get_true_extent(type, &true_lower, &true_extent);
  MPI_Count wide_lower, wide_extent;
  MPI_Type_get_true_extent_x(type, &wide_lower, &wide_extent);
  say("rank %d: %s size %d bounds %ld %ld true %ld %ld %d\n", rank, what, size, (long)lower, (long)extent,
      (long)true_lower, (long)true_extent, wide_lower == true_lower && wide_extent == true_extent);
  fill(out, BYTES, (uint64_t)rank);
  memset(in, 0xee, BYTES);
  memset(flat, 0xee, BYTES);
  MPI_Request requests[2];
  MPI_Irecv(in + BYTES / 2, 2, type, from, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out + BYTES / 2, 2, type, to, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(out + BYTES / 2, 2, type, to, 2, flat, BYTES, MPI_BYTE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("rank %d: %s %08x %08x\n", rank, what, (unsigned)checksum(in, BYTES), (unsigned)checksum(flat, BYTES));
  MPI_Type_free(&type);
}

static MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  return extent;
}

static void of_blocks(MPI_Datatype old, const char* name) {
  char what[64];
  MPI_Datatype type;
  const int lengths[] = {2, 0, 1, 3}, places[] = {5, 1, -2, 9};
  const MPI_Aint bytes[] = {64, 8, -32, 128};
  const MPI_Count wide_lengths[] = {2, 0, 1, 3}, wide_places[] = {5, 1, -2, 9}, wide_bytes[] = {64, 8, -32, 128};
#define TELL(kind)                                     \
  snprintf(what, sizeof what, "%s of %s", kind, name); \
  tell(what, type)
  MPI_Type_contiguous(5, old, &type);
  TELL("contiguous");
  MPI_Type_contiguous_c(5, old, &type);
  TELL("large contiguous");
  MPI_Type_vector(3, 2, 4, old, &type);
  TELL("vector");
  MPI_Type_vector_c(3, 2, -4, old, &type);
  TELL("large vector");
  MPI_Type_create_hvector(3, 2, 3 * extent_of(old) + 8, old, &type);
  TELL("hvector");
  MPI_Type_create_hvector_c(3, 2, -72, old, &type);
  TELL("large hvector");
  MPI_Type_indexed(4, lengths, places, old, &type);
  TELL("indexed");
  MPI_Type_indexed_c(4, wide_lengths, wide_places, old, &type);
  TELL("large indexed");
  MPI_Type_create_hindexed(4, lengths, bytes, old, &type);
  TELL("hindexed");
  MPI_Type_create_hindexed_c(4, wide_lengths, wide_bytes, old, &type);
  TELL("large hindexed");
  MPI_Type_create_indexed_block(3, 2, places, old, &type);
  TELL("indexed block");
  MPI_Type_create_indexed_block_c(3, 2, wide_places, old, &type);
  TELL("large indexed block");
  MPI_Type_create_hindexed_block(3, 2, bytes, old, &type);
  TELL("hindexed block");
  MPI_Type_create_hindexed_block_c(3, 2, wide_bytes, old, &type);
  TELL("large hindexed block");
  MPI_Type_create_resized(old, -8, 48, &type);
  TELL("resized");
  MPI_Type_create_resized_c(old, 16, 96, &type);
  TELL("large resized");
  MPI_Type_dup(old, &type);
  TELL("copy");
#undef TELL
}

static void of_arrays(void) {
  MPI_Datatype type;
  const int sizes[] = {4, 5, 6}, parts[] = {2, 3, 4}, starts[] = {1, 2, 0};
  const MPI_Count wide_sizes[] = {4, 5, 6}, wide_parts[] = {4, 1, 6}, wide_starts[] = {0, 3, 0};
  MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type);
  tell("subarray", type);
  MPI_Type_create_subarray(3, sizes, parts, starts, MPI_ORDER_FORTRAN, MPI_SHORT, &type);
  tell("subarray of Fortran", type);
  MPI_Type_create_subarray_c(3, wide_sizes, wide_parts, wide_starts, MPI_ORDER_C, MPI_FLOAT, &type);
  tell("large subarray", type);
  const int distributions[][2] = {{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
                                  {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
                                  {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC}};
  const int arguments[][2] = {
      {MPI_DISTRIBUTE_DFLT_DARG, 2}, {3, 4}, {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}};
  const int grids[][2] = {{2, 3}, {2, 3}, {1, 6}};
  const int shape[] = {9, 11};
  const MPI_Count wide_shape[] = {9, 11};
  for (int d = 0; d < 3; ++d) {
    for (int process = 0; process < 6; ++process) {
      MPI_Type_create_darray(6, process, 2, shape, distributions[d], arguments[d], grids[d], MPI_ORDER_C, MPI_SHORT,
                             &type);
      tell("distributed array", type);
    }
    MPI_Type_create_darray_c(6, 4, 2, wide_shape, distributions[d], arguments[d], grids[d], MPI_ORDER_FORTRAN,
                             MPI_SHORT, &type);
    tell("large distributed array", type);
  }
}

struct record {
  double value;
  char letter;
  int numbers[3];
  short tail;
};

static void of_structs(void) {
  MPI_Datatype type, nested, wide;
  const int lengths[] = {1, 1, 3, 1};
  const MPI_Count wide_lengths[] = {1, 1, 3, 1};
  const MPI_Aint places[] = {offsetof(struct record, value), offsetof(struct record, letter),
                             offsetof(struct record, numbers), offsetof(struct record, tail)};
  const MPI_Count wide_places[] = {8, 0, 64, 32};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR, MPI_INT, MPI_SHORT};
  MPI_Type_create_struct(4, lengths, places, types, &type);
  MPI_Type_dup(type, &nested);
  say("rank %d: extent of the struct %d\n", my_rank(), extent_of(type) == (MPI_Aint)sizeof(struct record));
  tell("struct", type);
  of_blocks(nested, "struct");
  MPI_Type_create_struct_c(4, wide_lengths, wide_places, types, &type);
  tell("large struct", type);
  MPI_Type_vector(2, 1, 2, nested, &wide);
  const MPI_Datatype mixed[] = {wide, MPI_DOUBLE_INT, nested, MPI_CHAR};
  const MPI_Aint apart[] = {0, 160, 256, 320};
  MPI_Type_create_struct(4, lengths, apart, mixed, &type);
  MPI_Type_free(&wide);
  MPI_Type_free(&nested);  // types made of it stay
  tell("struct of structs", type);
}

static void tell_class(const char* what, int code, int expected) {
  int class = -1;
  MPI_Error_class(code, &class);
  say("rank %d: %s %s\n", my_rank(), what, class == expected ? "as expected" : "OTHER");
}

static void of_bounds(void) {
  MPI_Datatype wide, type;
  MPI_Aint lower, extent;
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, 100};
  MPI_Type_create_resized(MPI_INT, 0, 4, &wide);
  const MPI_Datatype types[] = {MPI_INT, wide};
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_get_extent(type, &lower, &extent);
  must("bounds of the program's choice alone count", lower == 100 && extent == 4);
  MPI_Type_free(&type);
  const MPI_Aint odd[] = {0, 5};
  MPI_Type_create_hindexed(2, lengths, odd, MPI_INT, &type);
  MPI_Type_get_extent(type, &lower, &extent);
  must("extents are rounded up to the alignment", lower == 0 && extent == 12);
  MPI_Type_free(&type);
  MPI_Type_free(&wide);
  const int sizes[] = {4}, parts[] = {3}, starts[] = {2};
  must("a part beyond its array is refused",
       MPI_Type_create_subarray(1, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type) != MPI_SUCCESS);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (my_rank() < 2) {  // the others only pass on
    of_blocks(MPI_INT, "integers");
  } else {
    of_blocks(MPI_INT, "integers");
    say_length = 0;
  }
  of_blocks(MPI_DOUBLE_INT, "pairs");
  of_structs();
  of_arrays();
  if (my_rank() != 0) say("rank %d: %08x\n", my_rank(), (unsigned)checksum(say_text, say_length));
  of_bounds();
  MPI_Datatype type, none;
  MPI_Type_contiguous(0, MPI_INT, &none);
  tell("nothing", none);
  tell_class("negative count", MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
  tell_class("no type", MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type), MPI_ERR_TYPE);
  int value = 0;
  MPI_Type_contiguous(1, MPI_INT, &type);
  tell_class("not committed", MPI_Send(&value, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  MPI_Type_free(&type);
  say("rank %d: freed type is null %d\n", my_rank(), type == MPI_DATATYPE_NULL);
  MPI_Datatype predefined = MPI_INT;
  tell_class("freeing a predefined type", MPI_Type_free(&predefined), MPI_ERR_TYPE);
  say_all();
  MPI_Finalize();
  return 0;
}
