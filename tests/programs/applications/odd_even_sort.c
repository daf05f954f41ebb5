// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Odd-even transposition sort: neighbours merge their halves until all is in order.
#include "program.h"

enum { N = 15 };

static int smaller(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int values[N], other[N], both[2 * N];
  uint64_t state = (uint64_t)rank * 13 + 3;
  for (int i = 0; i < N; ++i) values[i] = (int)(next_random(&state) % 10000);
  qsort(values, N, sizeof(int), smaller);
  for (int turn = 0; turn < ranks; ++turn) {
    const int partner = (rank + turn) % 2 == 0 ? rank + 1 : rank - 1;
    if (partner < 0 || partner >= ranks) continue;
    MPI_Sendrecv(values, N, MPI_INT, partner, turn, other, N, MPI_INT, partner, turn, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    memcpy(both, values, sizeof values);
    memcpy(both + N, other, sizeof other);
    qsort(both, 2 * N, sizeof(int), smaller);
    memcpy(values, partner > rank ? both : both + N, sizeof values);
  }
  for (int i = 0; i < N; ++i) say(" %d", values[i]);
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
