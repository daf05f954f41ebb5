// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// MPI_Probe tells source, tag and length; the message stays until it is received; counts that do not divide are
// undefined.
#include "program.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks(), to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  const int sizes[] = {0, 3, 62, 1500};
  int* out = allocate(1500 * sizeof(int));
  for (int i = 0; i < 1500; ++i) out[i] = rank + 3 * i;
  MPI_Request sends[4];
  for (int i = 0; i < 4; ++i) MPI_Isend(out, sizes[i], MPI_INT, to, 20 + i, MPI_COMM_WORLD, &sends[i]);
  for (int i = 3; i >= 0; --i) {
    MPI_Status status, again;
    int count = -1, bytes = -1;
    MPI_Probe(MPI_ANY_SOURCE, 20 + i, MPI_COMM_WORLD, &status);
    MPI_Probe(from, 20 + i, MPI_COMM_WORLD, &again);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Get_count(&again, MPI_BYTE, &bytes);
    int* in = allocate((size_t)count * sizeof(int));
    MPI_Recv(in, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("rank %d tag %d: %d integers, %d bytes from %d, checksum %08x\n", rank, status.MPI_TAG, count, bytes,
        status.MPI_SOURCE, (unsigned)checksum(in, (size_t)count * sizeof(int)));
    free(in);
  }
  MPI_Waitall(4, sends, MPI_STATUSES_IGNORE);

  MPI_Request send;
  const char five[5] = "five";
  MPI_Isend(five, 5, MPI_CHAR, to, 30, MPI_COMM_WORLD, &send);
  MPI_Status status;
  int as_int = 0, as_char = 0;
  char in[5];
  MPI_Recv(in, 5, MPI_CHAR, from, 30, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &as_int);
  MPI_Get_count(&status, MPI_CHAR, &as_char);
  say("rank %d: \"%s\" is %d characters, undefined as integers %d\n", rank, in, as_char, as_int == MPI_UNDEFINED);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  free(out);
  say_all();
  MPI_Finalize();
  return 0;
}
