// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// The lower triangle of a matrix arrives as an upper one: indexed blocks whose lengths differ.
#include "program.h"

enum { N = 9 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int lengths[N], lower_places[N], upper_places[N], upper_lengths[N];
  for (int i = 0; i < N; ++i) {
    lengths[i] = i + 1;
    lower_places[i] = i * N;
    upper_lengths[i] = N - i;
    upper_places[i] = i * N + i;
  }
  MPI_Datatype lower, upper;
  MPI_Type_indexed(N, lengths, lower_places, MPI_INT, &lower);
  MPI_Type_indexed(N, upper_lengths, upper_places, MPI_INT, &upper);
  MPI_Type_commit(&lower);
  MPI_Type_commit(&upper);
  int out[N][N], in[N][N];
  for (int i = 0; i < N * N; ++i) out[i / N][i % N] = rank * 100 + i, in[i / N][i % N] = -1;
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Sendrecv(out, 1, lower, right, 0, in, 1, upper, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < N; ++k) say(" %d", in[i][k]);
    say("\n");
  }
  MPI_Type_free(&lower);
  MPI_Type_free(&upper);
  say_all();
  MPI_Finalize();
  return 0;
}
