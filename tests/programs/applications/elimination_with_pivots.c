// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Linear equations modulo a prime by elimination: pivots are found by MPI_MAXLOC, rows are dealt out cyclically.
#include "program.h"

enum { P = 10007, PER = 3 };

static long power(long base, long exponent) {
  long result = 1;
  for (; exponent > 0; exponent /= 2, base = base * base % P) {
    if (exponent % 2) result = result * base % P;
  }
  return result;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int n = PER * ranks;
  long rows[PER][65] = {{0}}, row[65];
  bool used[PER] = {false};
  long solution[64];
  // The solution is i + 1.
  for (int i = 0; i < PER; ++i) {
    const int global = i * ranks + rank;
    for (int k = 0; k < n; ++k) {
      rows[i][k] =
          ((global + 1) * (global + 1) * 31 + (k + 2) * (global + 3) * (k + 5)) % 101 + (global == k ? 211 : 0);
      rows[i][n] = (rows[i][n] + rows[i][k] * (k + 1)) % P;
    }
  }
  int column_of[PER];
  for (int c = 0; c < n; ++c) {
    struct {
      int value, place;
    } best = {-1, 0}, all;
    for (int i = 0; i < PER; ++i) {
      if (!used[i] && rows[i][c] > best.value) best.value = (int)rows[i][c], best.place = i * ranks + rank;
    }
    if (best.value < 0) best.place = n;
    MPI_Allreduce(&best, &all, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
    const int owner = all.place % ranks, mine = all.place / ranks;
    if (owner == rank) {
      used[mine] = true;
      column_of[mine] = c;
      const long inverse = power(rows[mine][c], P - 2);
      for (int k = 0; k <= n; ++k) rows[mine][k] = rows[mine][k] * inverse % P;
      memcpy(row, rows[mine], sizeof row);
    }
    MPI_Bcast(row, n + 1, MPI_LONG, owner, MPI_COMM_WORLD);
    for (int i = 0; i < PER; ++i) {
      if (owner == rank && i == mine) continue;
      const long factor = P - rows[i][c];
      for (int k = 0; k <= n; ++k) rows[i][k] = (rows[i][k] + factor * row[k]) % P;
    }
  }
  long part[64] = {0};
  for (int i = 0; i < PER; ++i) part[column_of[i]] = rows[i][n];
  MPI_Allreduce(part, solution, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) say(" %ld", solution[i]);
  say("\n");
  say_all();
  MPI_Finalize();
  return 0;
}
