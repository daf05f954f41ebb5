// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Work that begets work at random ranks; a token that counts messages round the ring finds out when all is done.
#include "program.h"

enum { WORK = 1, TOKEN = 2, STOP = 3 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Comm here;  // the texts at the end are messages too
  MPI_Comm_dup(MPI_COMM_WORLD, &here);
  long done = 0, balance = 0;
  uint64_t black = 0;
  const int right = (rank + 1) % ranks;
  MPI_Request request;
  int seeds[1] = {rank == 0 ? 9 : rank % 3};
  static int depth_out[4096];
  int used = 0;
  depth_out[used] = seeds[0];
  MPI_Isend(&depth_out[used++], 1, MPI_INT, right, WORK, here, &request);
  MPI_Request_free(&request);
  ++balance;
  long token[2] = {0, 1};  // messages that are under way, whether somebody has worked since
  if (rank == 0) {
    MPI_Isend(token, 2, MPI_LONG, right, TOKEN, here, &request);
    MPI_Request_free(&request);
  }
  for (bool running = true; running;) {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, here, &status);
    if (status.MPI_TAG == WORK) {
      int depth;
      MPI_Recv(&depth, 1, MPI_INT, status.MPI_SOURCE, WORK, here, MPI_STATUS_IGNORE);
      --balance;
      ++done;
      black = 1;
      for (int child = 0; depth > 0 && child < 2; ++child) {
        depth_out[used] = child == 0 ? depth - 1 : depth / 2 - 1;
        if (depth_out[used] < 0) continue;
        MPI_Isend(&depth_out[used], 1, MPI_INT, (rank + depth * (child + 1)) % ranks, WORK, here, &request);
        MPI_Request_free(&request);
        ++used;
        ++balance;
      }
    } else if (status.MPI_TAG == TOKEN) {
      long got[2];
      MPI_Recv(got, 2, MPI_LONG, status.MPI_SOURCE, TOKEN, here, MPI_STATUS_IGNORE);
      if (rank == 0) {
        if (got[0] + balance == 0 && got[1] == 0 && black == 0) {
          for (int r = 1; r < ranks; ++r) MPI_Send(NULL, 0, MPI_INT, r, STOP, here);
          break;
        }
        token[0] = token[1] = 0;
      } else {
        token[0] = got[0] + balance;
        token[1] = got[1] | (long)black;
      }
      black = 0;
      MPI_Isend(token, 2, MPI_LONG, right, TOKEN, here, &request);
      MPI_Request_free(&request);
    } else {
      MPI_Recv(NULL, 0, MPI_INT, 0, STOP, here, MPI_STATUS_IGNORE);
      running = false;
    }
  }
  long total;
  MPI_Reduce(&done, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) say("%ld pieces of work\n", total);
  say("rank %d did %ld\n", rank, done);
  MPI_Comm_free(&here);
  say_all();
  MPI_Finalize();
  return 0;
}
