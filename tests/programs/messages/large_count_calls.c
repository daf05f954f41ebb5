// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Sends, receives and counts by the functions whose counts have 64 bits.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  int out[500], in[500], again[500];
  for (int i = 0; i < 500; ++i) out[i] = rank + i * i;
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Count count;
  MPI_Irecv_c(in, 500, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend_c(out, 400, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], &status);
  MPI_Get_count_c(&status, MPI_INT, &count);
  say("%lld: %08x\n", (long long)count, (unsigned)checksum(in, 400 * sizeof(int)));
  MPI_Sendrecv_c(in, 300, MPI_INT, right, 2, again, 500, MPI_INT, left, 2, MPI_COMM_WORLD, &status);
  MPI_Get_elements_c(&status, MPI_INT, &count);
  say("%lld: %08x\n", (long long)count, (unsigned)checksum(again, 300 * sizeof(int)));
  MPI_Sendrecv_replace_c(out, 500, MPI_INT, right, 3, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("%08x\n", (unsigned)checksum(out, sizeof out));
  MPI_Isend_c(out, 10, MPI_INT, right, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Message message;
  MPI_Mprobe(left, 4, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv_c(in, 500, MPI_INT, &message, &status);
  MPI_Get_count_c(&status, MPI_CHAR, &count);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  say("%lld bytes, %d\n", (long long)count, in[9]);
  say_all();
  MPI_Finalize();
  return 0;
}
