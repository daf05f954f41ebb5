// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Every rank exchanges messages with every rank at once; their lengths depend on the pair.
#include "program.h"

static int length(int from, int to) { return (from * 37 + to * 11) % 200; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  double* out[17];
  double* in[17];
  MPI_Request requests[34];
  for (int r = 0; r < ranks; ++r) {
    out[r] = allocate(200 * sizeof(double));
    in[r] = allocate(200 * sizeof(double));
    for (int i = 0; i < length(rank, r); ++i) out[r][i] = rank * 1000 + r * 10 + i;
  }
  for (int r = 0; r < ranks; ++r) {
    MPI_Irecv(in[r], length(r, rank), MPI_DOUBLE, r, 0, MPI_COMM_WORLD, &requests[r]);
    MPI_Isend(out[ranks - 1 - r], length(rank, ranks - 1 - r), MPI_DOUBLE, ranks - 1 - r, 0, MPI_COMM_WORLD,
              &requests[ranks + r]);
  }
  MPI_Waitall(2 * ranks, requests, MPI_STATUSES_IGNORE);
  for (int r = 0; r < ranks; ++r) {
    double sum = 0;
    for (int i = 0; i < length(r, rank); ++i) sum += in[r][i];
    say(" %.0f", sum);
    free(in[r]);
    free(out[r]);
  }
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
