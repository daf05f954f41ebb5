// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// All ranks flood rank 0 with messages before it receives any: the receive queues must not overflow.
#include "program.h"

enum { MESSAGES = 60 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  if (rank != 0) {
    for (int m = 0; m < MESSAGES; ++m) {
      int body[30] = {rank, m};
      MPI_Send(body, 2 + m % 29, MPI_INT, 0, m % 5, MPI_COMM_WORLD);
    }
    say("rank %d: all sent\n", rank);
  } else {
    int wrong = 0;
    for (int tag = 4; tag >= 0; --tag) {  // most are taken against the order of arrival
      for (int r = ranks - 1; r >= 1; --r) {
        for (int m = tag; m < MESSAGES; m += 5) {
          int body[30];
          MPI_Status status;
          int count;
          MPI_Recv(body, 30, MPI_INT, r, tag, MPI_COMM_WORLD, &status);
          MPI_Get_count(&status, MPI_INT, &count);
          wrong += body[0] != r || body[1] != m || count != 2 + m % 29;
        }
      }
    }
    say("rank 0: wrong %d\n", wrong);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
