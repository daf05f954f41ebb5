// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Several threads take messages out of one queue by matched probes: each message is received once.
#include "threads.h"

enum { THREADS = 4, MESSAGES = 24 };

static void* take(void* argument) {
  struct worker* worker = argument;
  for (;;) {
    MPI_Message message;
    MPI_Status status;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, worker->comm, &message, &status);
    int value = 0;
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    if (status.MPI_TAG == 1) return NULL;
    worker->sum += (uint32_t)value;
  }
}

int main(void) {
  init_for_threads();
  const int me = my_rank(), ranks = all_ranks();
  struct worker workers[THREADS] = {0};
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < THREADS; ++i) {
    workers[i].comm = comm;
    if (pthread_create(&workers[i].thread, NULL, take, &workers[i]) != 0) abort();
  }
  for (int i = 0; i < MESSAGES; ++i) {
    const int value = me * 1000 + i;
    MPI_Send(&value, 1, MPI_INT, (me + i) % ranks, 0, comm);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < THREADS; ++i) MPI_Send(&me, 1, MPI_INT, me, 1, comm);
  uint32_t sum = 0;
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(workers[i].thread, NULL);
    sum += workers[i].sum;
  }
  MPI_Comm_free(&comm);
  say("rank %d: %u\n", me, (unsigned)sum);
  say_all();
  MPI_Finalize();
  return 0;
}
