// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A sparse matrix times a vector: ranks learn once which values they need, then exchange only those.
#include "program.h"

enum { PER = 10, STEPS = 4 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int n = PER * ranks;
  int columns[PER][3], wanted[17][3 * PER], counts[17] = {0}, asked[17], places[17];
  static int requests[17][3 * PER];
  for (int i = 0; i < PER; ++i) {
    const int row = rank * PER + i;
    columns[i][0] = (row * 3 + 1) % n;
    columns[i][1] = (row + n / 2) % n;
    columns[i][2] = (row * row) % n;
    for (int k = 0; k < 3; ++k) {
      const int owner = columns[i][k] / PER;
      bool known = false;
      for (int w = 0; w < counts[owner]; ++w) known |= wanted[owner][w] == columns[i][k];
      if (!known) wanted[owner][counts[owner]++] = columns[i][k];
    }
  }
  for (int r = 0; r < ranks; ++r) places[r] = 3 * PER * r;
  MPI_Alltoall(counts, 1, MPI_INT, asked, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(wanted, counts, places, MPI_INT, requests, asked, places, MPI_INT, MPI_COMM_WORLD);
  long x[PER], y[PER];
  for (int i = 0; i < PER; ++i) x[i] = rank * PER + i + 1;
  for (int turn = 0; turn < STEPS; ++turn) {
    static long out[17][3 * PER], in[17][3 * PER];
    for (int r = 0; r < ranks; ++r) {
      for (int w = 0; w < asked[r]; ++w) out[r][w] = x[requests[r][w] - rank * PER];
    }
    MPI_Alltoallv(out, asked, places, MPI_LONG, in, counts, places, MPI_LONG, MPI_COMM_WORLD);
    for (int i = 0; i < PER; ++i) {
      y[i] = 5 * x[i];
      for (int k = 0; k < 3; ++k) {
        const int owner = columns[i][k] / PER;
        for (int w = 0; w < counts[owner]; ++w) {
          if (wanted[owner][w] == columns[i][k]) y[i] += (k + 1) * in[owner][w];
        }
      }
    }
    for (int i = 0; i < PER; ++i) x[i] = y[i] % 100003;
  }
  for (int i = 0; i < PER; ++i) say(" %ld", x[i]);
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
