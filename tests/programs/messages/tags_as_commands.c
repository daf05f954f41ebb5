// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A server carries out what the tag of each message asks, for clients that wait for its answers.
#include "program.h"

enum { ADD, LARGEST, SQUARE, STOP };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  if (rank == 0) {
    long total = 0, largest = 0;
    for (int left = ranks - 1; left > 0;) {
      long values[2];
      MPI_Status status;
      MPI_Recv(values, 2, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      long answer = 0;
      switch (status.MPI_TAG) {
        case ADD:
          answer = values[0] + values[1], total += answer;
          break;
        case LARGEST:
          answer = values[0] > values[1] ? values[0] : values[1];
          largest = answer > largest ? answer : largest;
          break;
        case SQUARE:
          answer = values[0] * values[0];
          break;
        default:
          --left;
          continue;
      }
      MPI_Send(&answer, 1, MPI_LONG, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD);
    }
    say("total %ld, largest %ld\n", total, largest);
  } else {
    long sum = 0, answer;
    for (int i = 0; i < 9; ++i) {
      const long values[2] = {rank * 10 + i, rank + 7 * i};
      MPI_Sendrecv(values, 2, MPI_LONG, 0, i % 3, &answer, 1, MPI_LONG, 0, i % 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += answer;
    }
    MPI_Send(NULL, 0, MPI_LONG, 0, STOP, MPI_COMM_WORLD);
    say("answers %ld\n", sum);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // the texts are messages too
  say_all();
  MPI_Finalize();
  return 0;
}
