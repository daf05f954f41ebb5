// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Type_contiguous, nested; sent as one type and received as another of the same signature.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks(), to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  MPI_Datatype triple, block, empty;
  MPI_Type_contiguous(3, MPI_INT, &triple);
  MPI_Type_contiguous(4, triple, &block);
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&block);
  MPI_Type_commit(&triple);
  MPI_Type_commit(&empty);
  int sizes[3];
  MPI_Type_size(triple, &sizes[0]);
  MPI_Type_size(block, &sizes[1]);
  MPI_Type_size(empty, &sizes[2]);
  MPI_Datatype large;  // larger than an integer can say
  MPI_Type_contiguous(1 << 30, MPI_INT, &large);
  int size;
  MPI_Count bytes;
  MPI_Aint lower, extent;
  MPI_Type_size(large, &size);
  MPI_Type_size_c(large, &bytes);
  MPI_Type_get_extent(large, &lower, &extent);
  if (size != MPI_UNDEFINED || bytes != (MPI_Count)4 << 30 || lower != 0 || extent != (MPI_Aint)bytes)
    say("rank %d: large type: size %d, %lld bytes, extent %lld\n", rank, size, (long long)bytes, (long long)extent);
  MPI_Type_free(&large);
  int out[24], in[24] = {0};
  for (int i = 0; i < 24; ++i) out[i] = rank * 100 + i;
  MPI_Status status;
  int blocks, triples, integers;
  MPI_Sendrecv(out, 2, block, to, 1, in, 24, MPI_INT, from, 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, block, &blocks);
  MPI_Get_count(&status, triple, &triples);
  MPI_Get_count(&status, MPI_INT, &integers);
  say("rank %d: sizes %d %d %d, counts %d %d %d, checksum %08x\n", rank, sizes[0], sizes[1], sizes[2], blocks, triples,
      integers, (unsigned)checksum(in, sizeof in));
  MPI_Type_free(&triple);  // a type built from it stays whole
  MPI_Bcast(out, 1, block, ranks - 1, MPI_COMM_WORLD);
  say("rank %d: %d %d, freed is null %d\n", rank, out[11], out[12], triple == MPI_DATATYPE_NULL);
  MPI_Sendrecv(out, 5, empty, to, 2, in, 5, empty, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&empty);
  MPI_Type_free(&block);
  say_all();
  MPI_Finalize();
  return 0;
}
