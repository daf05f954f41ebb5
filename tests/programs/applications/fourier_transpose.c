// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A square is transformed by rows and by columns modulo a prime, with a transposition by MPI_Alltoall between.
#include "program.h"

enum { P = 257, PER = 2 };

/** Evaluate the polynomial of n coefficients at 3, 4, 5 and so on, modulo P. */
static void transform(int* row, int n) {
  int result[64];
  for (int k = 0; k < n; ++k) {
    long sum = 0, power = 1;
    for (int i = 0; i < n; ++i) {
      sum += row[i] * power;
      power = power * (k + 3) % P;
    }
    result[k] = (int)(sum % P);
  }
  memcpy(row, result, (size_t)n * sizeof(int));
}

static void transpose(int (*rows)[64], int n) {
  int out[17 * PER * PER] = {0}, in[17 * PER * PER];
  for (int r = 0; r < n / PER; ++r) {
    for (int i = 0; i < PER; ++i) {
      for (int k = 0; k < PER; ++k) out[(r * PER + k) * PER + i] = rows[i][r * PER + k];
    }
  }
  MPI_Alltoall(out, PER * PER, MPI_INT, in, PER * PER, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < n / PER; ++r) {
    for (int k = 0; k < PER; ++k) {
      for (int i = 0; i < PER; ++i) rows[k][r * PER + i] = in[(r * PER + k) * PER + i];
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int n = PER * ranks;
  int rows[PER][64] = {{0}};
  for (int i = 0; i < PER; ++i) {
    for (int k = 0; k < n; ++k) rows[i][k] = ((rank * PER + i) * 5 + k * k) % P;
  }
  for (int i = 0; i < PER; ++i) transform(rows[i], n);
  transpose(rows, n);
  for (int i = 0; i < PER; ++i) transform(rows[i], n);
  transpose(rows, n);
  for (int i = 0; i < PER; ++i) {
    for (int k = 0; k < n; ++k) say(" %d", rows[i][k]);
    say("\n");
  }
  say_all();
  MPI_Finalize();
  return 0;
}
