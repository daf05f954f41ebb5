// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Halos of a stencil are sent in partitions, each as soon as its part has been computed.
#include "program.h"

enum { PARTS = 4, EACH = 25, WIDTH = PARTS * EACH };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int up = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  long row[WIDTH], above[WIDTH] = {0}, below[WIDTH] = {0};
  for (int i = 0; i < WIDTH; ++i) row[i] = rank * 7 + i;
  MPI_Request requests[4];
  int used = 0, to_up = -1, to_down = -1;
  if (up != MPI_PROC_NULL) {
    to_up = used;
    MPI_Psend_init(row, PARTS, EACH, MPI_LONG, up, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[used++]);
    MPI_Precv_init(above, PARTS, EACH, MPI_LONG, up, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[used++]);
  }
  if (down != MPI_PROC_NULL) {
    to_down = used;
    MPI_Psend_init(row, PARTS, EACH, MPI_LONG, down, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[used++]);
    MPI_Precv_init(below, PARTS, EACH, MPI_LONG, down, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[used++]);
  }
  for (int turn = 0; turn < 4; ++turn) {
    MPI_Startall(used, requests);
    for (int p = 0; p < PARTS; ++p) {
      for (int i = p * EACH; i < (p + 1) * EACH; ++i) row[i] = (row[i] * 3 + turn) % 1009;
      if (to_up >= 0) MPI_Pready(p, requests[to_up]);
      if (to_down >= 0) MPI_Pready(p, requests[to_down]);
    }
    MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < WIDTH; ++i) row[i] = (row[i] + above[i] + below[i]) % 1009;
    say("%d: %ld %ld\n", turn, row[0], row[WIDTH - 1]);
  }
  for (int i = 0; i < used; ++i) MPI_Request_free(&requests[i]);
  say_all();
  MPI_Finalize();
  return 0;
}
