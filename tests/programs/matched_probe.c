// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Matched probes: what was found is received, whatever else matches; from any source, long and short, and from nobody.
#include "program.h"

enum { LONG = 5000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  static int data[LONG], in[LONG];
  data[0] = rank;
  data[LONG - 1] = -rank;
  MPI_Request sends[2];
  MPI_Isend(data, LONG, MPI_INT, 0, 3, MPI_COMM_WORLD, &sends[0]);
  MPI_Isend(data, 2, MPI_INT, 0, 3, MPI_COMM_WORLD, &sends[1]);
  if (rank == 0) {
    int seen[64] = {0}, right = 0;
    for (int i = 0; i < ranks; ++i) {
      MPI_Message first, second;
      MPI_Status status, other;
      MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &first, &status);
      const int source = status.MPI_SOURCE;
      int flag = 0, count;
      while (!flag) MPI_Improbe(source, 3, MPI_COMM_WORLD, &flag, &second, &other);
      MPI_Get_count(&other, MPI_INT, &count);
      // The second message comes before the first.
      right += count == 2;
      MPI_Request request;
      MPI_Imrecv(in, 2, MPI_INT, &second, &request);
      MPI_Wait(&request, &other);
      right += in[0] == source && other.MPI_TAG == 3 && second == MPI_MESSAGE_NULL;
      MPI_Get_count(&status, MPI_INT, &count);
      MPI_Mrecv(in, LONG, MPI_INT, &first, &status);
      right += count == LONG && in[0] == source && in[LONG - 1] == -source && first == MPI_MESSAGE_NULL;
      seen[source] += 1;
    }
    for (int r = 0; r < ranks; ++r) say("rank %d: %d\n", r, seen[r]);
    say("right %d of %d\n", right, 3 * ranks);
  }
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  MPI_Message none;
  MPI_Status status;
  int flag;
  MPI_Improbe(0, 99, MPI_COMM_WORLD, &flag, &none, &status);
  say("nothing there: %d\n", flag);
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &none, &status);
  say("from nobody: %d\n", none == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(in, 1, MPI_INT, &none, &status);
  say("received %d %d\n", status.MPI_SOURCE == MPI_PROC_NULL, none == MPI_MESSAGE_NULL);
  say_all();
  MPI_Finalize();
  return 0;
}
