// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Messages of one tag do not overtake each other, whether they are short or long.
#include "program.h"

enum { COUNT = 24 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int* sent[COUNT];
  int* got[COUNT];
  MPI_Request requests[2 * COUNT];
  for (int i = 0; i < COUNT; ++i) {
    const int length = i % 3 == 0 ? 1 : i % 3 == 1 ? 300 : 5000;
    got[i] = allocate(5000 * sizeof(int));
    sent[i] = allocate((size_t)length * sizeof(int));
    for (int k = 0; k < length; ++k) sent[i][k] = rank * 100 + i + k;
    MPI_Irecv(got[i], 5000, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[i]);
    MPI_Isend(sent[i], length, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[COUNT + i]);
  }
  MPI_Status statuses[2 * COUNT];
  MPI_Waitall(2 * COUNT, requests, statuses);
  for (int i = 0; i < COUNT; ++i) {
    int length;
    MPI_Get_count(&statuses[i], MPI_INT, &length);
    say("%d: %d of them, first %d, last %d\n", i, length, got[i][0], got[i][length - 1]);
    free(got[i]);
    free(sent[i]);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
