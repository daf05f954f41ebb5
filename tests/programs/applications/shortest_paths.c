// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// All shortest paths by Floyd and Warshall: the row in turn is broadcast by the rank that has it.
#include "program.h"

enum { PER = 3, FAR = 1000000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int n = PER * ranks;
  int paths[PER][64], row[64];
  for (int i = 0; i < PER; ++i) {
    for (int k = 0; k < n; ++k) {
      const int from = rank * PER + i;
      paths[i][k] = from == k ? 0 : (from * 7 + k * 3) % 5 == 0 ? 1 + (from + k) % 9 : FAR;
      if (k == (from + 1) % n && k != from) paths[i][k] = 20;
    }
  }
  for (int via = 0; via < n; ++via) {
    if (via / PER == rank) memcpy(row, paths[via % PER], sizeof row);
    MPI_Bcast(row, n, MPI_INT, via / PER, MPI_COMM_WORLD);
    for (int i = 0; i < PER; ++i) {
      for (int k = 0; k < n; ++k) {
        if (paths[i][via] + row[k] < paths[i][k]) paths[i][k] = paths[i][via] + row[k];
      }
    }
  }
  for (int i = 0; i < PER; ++i) {
    for (int k = 0; k < n; ++k) say(" %d", paths[i][k]);
    say("\n");
  }
  say_all();
  MPI_Finalize();
  return 0;
}
