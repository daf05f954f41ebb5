// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A box is cut into planes and into lines; each part keeps what wraps round.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int dims[3] = {0, 0, 0}, got[3], wraps[3], coords[3];
  const int round[3] = {1, 0, 1};
  MPI_Comm box, part;
  MPI_Dims_create(ranks, 3, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 3, dims, round, 0, &box);
  for (int mask = 1; mask < 8; ++mask) {
    const int keep[3] = {mask & 1, mask >> 1 & 1, mask >> 2 & 1};
    int n, sum, size;
    MPI_Cart_sub(box, keep, &part);
    MPI_Cartdim_get(part, &n);
    MPI_Cart_get(part, n, got, wraps, coords);
    MPI_Comm_size(part, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
    say("%d: %d ranks, sum %d,", mask, size, sum);
    for (int d = 0; d < n; ++d) say(" %d/%d/%d", coords[d], got[d], wraps[d]);
    say("\n");
    MPI_Comm_free(&part);
  }
  MPI_Comm_free(&box);
  say_all();
  MPI_Finalize();
  return 0;
}
