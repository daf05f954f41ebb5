// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Persistent sends and receives of all modes, started one by one and together; inactive ones are as good as null.
#include "program.h"

enum { ROUNDS = 4, LONG = 3000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  static int out[4][LONG], in[4][LONG];
  char* attached = allocate(sizeof out + 4 * MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(attached, (int)(sizeof out + 4 * MPI_BSEND_OVERHEAD));
  MPI_Request requests[8];
  for (int i = 0; i < 4; ++i) MPI_Recv_init(in[i], LONG, MPI_INT, left, i, MPI_COMM_WORLD, &requests[i]);
  MPI_Send_init(out[0], 5, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[4]);
  MPI_Ssend_init(out[1], LONG, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[5]);
  MPI_Rsend_init(out[2], 60, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[6]);
  MPI_Bsend_init(out[3], LONG, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[7]);
  int flag = 0, index = 0, count = -1;
  MPI_Status status;
  MPI_Test(&requests[0], &flag, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  say("inactive: %d %d %d\n", flag, status.MPI_SOURCE == MPI_ANY_SOURCE, count);
  MPI_Waitany(8, requests, &index, &status);
  say("all inactive: %d\n", index == MPI_UNDEFINED);
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < LONG; ++k) out[i][k] = rank * 1000 + round * 100 + i * 10 + k;
    }
    if (round % 2 == 0) {
      MPI_Startall(4, requests);
    } else {
      for (int i = 3; i >= 0; --i) MPI_Start(&requests[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Startall(4, requests + 4);
    MPI_Status statuses[8];
    MPI_Waitall(8, requests, statuses);
    for (int i = 0; i < 4; ++i) {
      MPI_Get_count(&statuses[i], MPI_INT, &count);
      const int expected = left * 1000 + round * 100 + i * 10 + count - 1;
      say("round %d: %d from %d tag %d right %d\n", round, count, statuses[i].MPI_SOURCE, statuses[i].MPI_TAG,
          in[i][count - 1] == expected);
    }
  }
  // From nobody: complete at once, again and again.
  MPI_Request nobody;
  MPI_Recv_init(in[0], 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &nobody);
  for (int round = 0; round < 2; ++round) {
    MPI_Start(&nobody);
    MPI_Wait(&nobody, MPI_STATUS_IGNORE);
    say("from nobody, handle stays %d\n", nobody != MPI_REQUEST_NULL);
  }
  MPI_Request_free(&nobody);
  for (int i = 0; i < 8; ++i) MPI_Request_free(&requests[i]);
  say("freed %d\n", requests[0] == MPI_REQUEST_NULL);
  void* detached;
  int size;
  MPI_Buffer_detach(&detached, &size);
  free(detached);
  say_all();
  MPI_Finalize();
  return 0;
}
