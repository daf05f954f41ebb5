// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Two colours of a chain are relaxed in turn, with the sum of all changes as the test for the end.
#include "program.h"

enum { N = 9 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  long cells[N + 2] = {0};
  const int right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  for (int i = 1; i <= N; ++i) cells[i] = (rank * N + i) * 12345 % 4001;
  int turns = 0;
  long change = 1;
  while (change > 0 && turns < 30) {
    long mine = 0;
    for (int colour = 0; colour < 2; ++colour) {
      MPI_Sendrecv(&cells[N], 1, MPI_LONG, right, 0, &cells[0], 1, MPI_LONG, left, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(&cells[1], 1, MPI_LONG, left, 1, &cells[N + 1], 1, MPI_LONG, right, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      for (int i = 1; i <= N; ++i) {
        if ((rank * N + i) % 2 != colour) continue;
        const long next = (cells[i - 1] + cells[i + 1]) / 2;
        mine += labs(next - cells[i]);
        cells[i] = next;
      }
    }
    MPI_Allreduce(&mine, &change, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    ++turns;
  }
  say("%d turns, change %ld:", turns, change);
  for (int i = 1; i <= N; ++i) say(" %ld", cells[i]);
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
