// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_ANY_SOURCE and MPI_ANY_TAG: rank 0 takes what comes and each status tells the truth.
#include "program.h"

enum { MESSAGES = 3 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  if (rank != 0) {
    for (int m = 0; m < MESSAGES; ++m) {
      const int body[2] = {rank * 100 + m, m};
      MPI_Send(body, 2, MPI_INT, 0, 50 + m, MPI_COMM_WORLD);
    }
  } else {
    int next[64] = {0}, wrong = 0;
    long sum = 0;
    for (int i = 0; i < (ranks - 1) * MESSAGES; ++i) {
      int body[2];
      MPI_Status status;
      int count;
      MPI_Recv(body, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_INT, &count);
      const int source = status.MPI_SOURCE;
      // Messages of one sender arrive in the order sent.
      wrong +=
          count != 2 || body[1] != next[source] || body[0] != source * 100 + body[1] || status.MPI_TAG != 50 + body[1];
      next[source] += 1;
      sum += body[0];
    }
    say("any source, any tag: sum %ld, wrong %d\n", sum, wrong);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  // Any source with one tag: the others wait in the queue and come after.
  if (rank != 0) {
    const int first = rank, second = -rank;
    MPI_Send(&first, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Send(&second, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  } else {
    int sums[2] = {0, 0};
    for (int tag = 2; tag >= 1; --tag) {
      for (int i = 1; i < ranks; ++i) {
        int value;
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
        sums[tag - 1] += status.MPI_TAG == tag && abs(value) == status.MPI_SOURCE ? value : 1000000;
      }
    }
    say("tag 1 sum %d, tag 2 sum %d\n", sums[0], sums[1]);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
