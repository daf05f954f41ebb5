// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Every pair of ranks exchanges another type: integers, real numbers, characters and columns.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int counts[17], out_places[17], in_places[17];
  MPI_Datatype types[17], column;
  MPI_Type_vector(3, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  const MPI_Datatype kinds[4] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, column};
  unsigned char out[17 * 64], in[17 * 64];
  fill(out, sizeof out, (uint64_t)rank + 1);
  memset(in, 0, sizeof in);
  for (int r = 0; r < ranks; ++r) {
    types[r] = kinds[(rank + r) % 4];
    counts[r] = (rank * r) % 3;
    out_places[r] = 64 * r;
    in_places[r] = 64 * (ranks - 1 - r);
  }
  MPI_Alltoallw(out, counts, out_places, types, in, counts, in_places, types, MPI_COMM_WORLD);
  say("%08x\n", (unsigned)checksum(in, sizeof in));
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, counts, in_places, types, MPI_COMM_WORLD);
  say("%08x\n", (unsigned)checksum(in, sizeof in));
  MPI_Type_free(&column);
  say_all();
  MPI_Finalize();
  return 0;
}
