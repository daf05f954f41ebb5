// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Conjugate gradients on a chain of weights: dot products by reductions that are the same on all ranks.
#include "program.h"

enum { N = 10 };

/** y = A x, where A has 2 on its diagonal and -1 beside it. */
static void apply(const double* x, double* y) {
  const int rank = my_rank(), ranks = all_ranks();
  const int right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  double low = 0, high = 0;
  MPI_Sendrecv(&x[N - 1], 1, MPI_DOUBLE, right, 0, &low, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&x[0], 1, MPI_DOUBLE, left, 1, &high, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; ++i) y[i] = 2 * x[i] - (i > 0 ? x[i - 1] : low) - (i < N - 1 ? x[i + 1] : high);
}

static double dot(const double* a, const double* b) {
  double mine = 0, all;
  for (int i = 0; i < N; ++i) mine += a[i] * b[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  double x[N] = {0}, r[N], p[N], q[N];
  for (int i = 0; i < N; ++i) p[i] = r[i] = 1;
  double square = dot(r, r);
  int steps = 0;
  while (square > 1e-16 && steps < 2 * N * ranks) {
    apply(p, q);
    const double alpha = square / dot(p, q);
    for (int i = 0; i < N; ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    const double next = dot(r, r);
    for (int i = 0; i < N; ++i) p[i] = r[i] + next / square * p[i];
    square = next;
    ++steps;
  }
  // The exact solution is i (n + 1 - i) / 2.
  const int n = N * ranks;
  int wrong = 0;
  for (int i = 0; i < N; ++i) {
    const double k = rank * N + i + 1, error = x[i] - k * (n + 1 - k) / 2;
    wrong += error > 1e-6 || error < -1e-6;
  }
  say("%d wrong, solved %d, last %.3f\n", wrong, square <= 1e-16, x[N - 1]);
  say_all();
  MPI_Finalize();
  return 0;
}
