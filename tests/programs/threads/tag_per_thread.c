// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Each thread sends to the next rank and receives from the one before, with a tag of its own, short and long messages.
#include "threads.h"

enum { THREADS = 4, ROUNDS = 12 };

static const size_t sizes[] = {0, 1, 8, 100, 1500, 9000, 40000};

static void* body(void* argument) {
  struct worker* worker = argument;
  const int me = my_rank(), ranks = all_ranks();
  unsigned char* const out = allocate(sizes[6]);
  unsigned char* const in = allocate(sizes[6]);
  for (int round = 0; round < ROUNDS; ++round) {
    const size_t bytes = sizes[(round + worker->number) % 7];
    fill(out, bytes, (uint64_t)(me * 1000 + worker->number * 100 + round));
    memset(in, 0, sizes[6]);
    MPI_Status status;
    if (me % 2 == 0) {
      MPI_Send(out, (int)bytes, MPI_UNSIGNED_CHAR, (me + 1) % ranks, worker->number, MPI_COMM_WORLD);
      MPI_Recv(in, (int)sizes[6], MPI_UNSIGNED_CHAR, (me + ranks - 1) % ranks, worker->number, MPI_COMM_WORLD, &status);
    } else {
      MPI_Recv(in, (int)sizes[6], MPI_UNSIGNED_CHAR, (me + ranks - 1) % ranks, worker->number, MPI_COMM_WORLD, &status);
      MPI_Send(out, (int)bytes, MPI_UNSIGNED_CHAR, (me + 1) % ranks, worker->number, MPI_COMM_WORLD);
    }
    int count = -1;
    MPI_Get_count(&status, MPI_UNSIGNED_CHAR, &count);
    if ((size_t)count != bytes || status.MPI_TAG != worker->number) abort();
    worker->sum = worker->sum * 31 + checksum(in, bytes);
  }
  free(out);
  free(in);
  return NULL;
}

int main(void) {
  init_for_threads();
  struct worker workers[THREADS] = {0};
  if (all_ranks() % 2 == 0) run_threads(workers, THREADS, body);
  say_sums(workers, THREADS);
  say_all();
  MPI_Finalize();
  return 0;
}
