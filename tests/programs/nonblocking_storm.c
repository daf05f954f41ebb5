// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Every rank sends several messages to every rank, itself too, with half of the receives posted beforehand.
#include "program.h"

enum { MESSAGES = 4, WORDS = 20 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks(), total = ranks * MESSAGES;
  int(*out)[WORDS] = allocate((size_t)total * sizeof *out);
  int(*in)[WORDS] = allocate((size_t)total * sizeof *in);
  MPI_Request* requests = allocate((size_t)(2 * total) * sizeof *requests);
  int used = 0;
  for (int i = 0; i < total; i += 2) {
    MPI_Irecv(in[i], WORDS, MPI_INT, i / MESSAGES, i % MESSAGES, MPI_COMM_WORLD, &requests[used++]);
  }
  for (int i = 0; i < total; ++i) {
    for (int w = 0; w < WORDS; ++w) out[i][w] = rank * 10000 + i * 100 + w;
    MPI_Isend(out[i], i % (WORDS + 1), MPI_INT, i / MESSAGES, i % MESSAGES, MPI_COMM_WORLD, &requests[used++]);
  }
  for (int i = 1; i < total; i += 2) {
    MPI_Irecv(in[i], WORDS, MPI_INT, i / MESSAGES, i % MESSAGES, MPI_COMM_WORLD, &requests[used++]);
  }
  MPI_Waitall(used, requests, MPI_STATUSES_IGNORE);
  bool all_null = true;
  for (int i = 0; i < used; ++i) all_null = all_null && requests[i] == MPI_REQUEST_NULL;
  say("rank %d: %d requests, all null %d, checksum %08x\n", rank, used, all_null,
      (unsigned)checksum(in, (size_t)total * sizeof *in));
  free(requests);
  free(in);
  free(out);
  say_all();
  MPI_Finalize();
  return 0;
}
