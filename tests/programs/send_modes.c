// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Synchronous and ready sends, blocking and not, and the calls that complete some of many requests.
#include "program.h"

enum { MESSAGES = 6, LONG = 2000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks(), to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  static int out[MESSAGES][LONG], in[MESSAGES][LONG];
  MPI_Request requests[2 * MESSAGES];
  for (int m = 0; m < MESSAGES; ++m) {
    for (int i = 0; i < LONG; ++i) out[m][i] = rank * 1000 + m * 100 + i;
    MPI_Irecv(in[m], LONG, MPI_INT, from, m, MPI_COMM_WORLD, &requests[m]);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // ready sends may start: all receives are posted
  MPI_Issend(out[0], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[MESSAGES]);
  MPI_Issend(out[1], LONG, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[MESSAGES + 1]);
  MPI_Irsend(out[2], 3, MPI_INT, to, 2, MPI_COMM_WORLD, &requests[MESSAGES + 2]);
  MPI_Irsend(out[3], LONG, MPI_INT, to, 3, MPI_COMM_WORLD, &requests[MESSAGES + 3]);
  MPI_Rsend(out[4], 2, MPI_INT, to, 4, MPI_COMM_WORLD);
  MPI_Ssend(out[5], LONG, MPI_INT, to, 5, MPI_COMM_WORLD);
  requests[MESSAGES + 4] = requests[MESSAGES + 5] = MPI_REQUEST_NULL;

  int times[2 * MESSAGES] = {0}, done = 0, indices[2 * MESSAGES], flag, index, some;
  MPI_Status statuses[2 * MESSAGES], status;
  MPI_Testany(2 * MESSAGES, requests, &index, &flag, &status);
  if (flag && index != MPI_UNDEFINED) ++times[index], ++done;
  MPI_Testsome(2 * MESSAGES, requests, &some, indices, statuses);
  for (int i = 0; i < some; ++i) ++times[indices[i]], ++done;
  while (done < 2 * MESSAGES - 2) {
    MPI_Waitsome(2 * MESSAGES, requests, &some, indices, statuses);
    if (some < 1) break;
    for (int i = 0; i < some; ++i) ++times[indices[i]], ++done;
  }
  for (int i = 0; i < 2 * MESSAGES; ++i) say("%d", times[i]);
  say(" rank %d: each request completed once, all null %d\n", rank, requests[0] == MPI_REQUEST_NULL);
  for (int m = 0; m < MESSAGES; ++m)
    say("rank %d: message %d %08x\n", rank, m, (unsigned)checksum(in[m], sizeof in[m]));
  MPI_Waitsome(2 * MESSAGES, requests, &some, indices, statuses);
  say("rank %d: without requests, some is undefined %d\n", rank, some == MPI_UNDEFINED);
  MPI_Testsome(0, NULL, &some, NULL, MPI_STATUSES_IGNORE);
  say("rank %d: of none, some is undefined %d\n", rank, some == MPI_UNDEFINED);
  MPI_Testany(2, requests, &index, &flag, &status);
  say("rank %d: of null requests any is undefined %d, flag %d\n", rank, index == MPI_UNDEFINED, flag);

  // A request may be freed before its message has left.
  MPI_Isend(out[0], 1, MPI_INT, to, 9, MPI_COMM_WORLD, &requests[0]);
  MPI_Request_free(&requests[0]);
  say("rank %d: freed handle is null %d\n", rank, requests[0] == MPI_REQUEST_NULL);
  MPI_Recv(in[0], 1, MPI_INT, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("rank %d: message of a freed request %d\n", rank, in[0][0]);
  say_all();
  MPI_Finalize();
  return 0;
}
