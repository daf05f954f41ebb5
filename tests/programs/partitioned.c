// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Partitioned messages: ready in any order, one by one, as ranges and lists; divided differently by sender and
// receiver.
#include "program.h"

enum { MOST = 24000 };
static double out[MOST], in[MOST];
static int whole[600], holes[1200];

/** Round the ring: `sent` partitions out, `received` in, of the same number of elements altogether. */
static void ring(int sent, int received, int elements, int tag) {
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Request requests[2];
  MPI_Psend_init(out, sent, elements / sent, MPI_DOUBLE, right, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(in, received, elements / received, MPI_DOUBLE, left, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < elements; ++i) out[i] = 1000 * rank + i + turn, in[i] = -1;
    MPI_Startall(2, requests);
    if (turn == 0) {
      for (int i = sent - 1; i >= 0; --i) MPI_Pready(i, requests[0]);
    } else if (turn == 1) {
      MPI_Pready_range(sent / 2, sent - 1, requests[0]);
      if (sent > 1) MPI_Pready_range(0, sent / 2 - 1, requests[0]);
    } else {
      int list[64], n = 0;
      for (int i = 0; i < sent; i += 2) list[n++] = i;
      for (int i = 1; i < sent; i += 2) list[n++] = i;
      MPI_Pready_list(n, list, requests[0]);
    }
    // Each partition may be read as soon as it is there.
    double sum = 0;
    int right_ones = 0;
    const int each = elements / received;
    for (int i = 0; i < received; ++i) {
      int flag = 0;
      while (!flag) MPI_Parrived(requests[1], i, &flag);
      for (int k = 0; k < each; ++k) sum += in[i * each + k];
      right_ones += in[i * each] == 1000 * left + i * each + turn;
    }
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    int count;
    MPI_Get_count(&statuses[1], MPI_DOUBLE, &count);
    say("%d to %d x %d: sum %.0f, right %d, from %d, tag %d, count %d\n", sent, received, elements, sum, right_ones,
        statuses[1].MPI_SOURCE == left, statuses[1].MPI_TAG, count);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  ring(1, 1, 10, 0);
  ring(8, 8, 800, 1);
  ring(6, 4, 120, 2);
  ring(4, 6, MOST, 3);
  ring(2, 5, 1000, 4);
  // Two of the same tag are matched in the order in which they are made; elements with holes arrive as plain ones.
  MPI_Datatype columns, spread;
  MPI_Type_vector(10, 1, 2, MPI_INT, &columns);
  MPI_Type_create_resized(columns, 0, 20 * sizeof(int), &spread);
  MPI_Type_free(&columns);
  MPI_Type_commit(&spread);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Request requests[4];
  for (int i = 0; i < 1200; ++i) holes[i] = 10000 * rank + i;
  MPI_Psend_init(holes, 20, 1, spread, right, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Psend_init(holes + 400, 40, 1, spread, right, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Precv_init(whole, 10, 20, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  MPI_Precv_init(whole + 200, 40, 10, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
  int flag = -1;
  MPI_Parrived(requests[2], 0, &flag);
  say("inactive: %d", flag);
  MPI_Startall(4, requests);
  MPI_Pready_range(0, 39, requests[1]);
  MPI_Pready_range(0, 19, requests[0]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  long sum = 0;
  for (int i = 0; i < 600; ++i) sum += (long)(i % 7 + 1) * whole[i];
  say(", sum %ld, last %d\n", sum, whole[599] - 10000 * left);
  for (int i = 0; i < 4; ++i) MPI_Request_free(&requests[i]);
  MPI_Type_free(&spread);
  say_all();
  MPI_Finalize();
  return 0;
}
