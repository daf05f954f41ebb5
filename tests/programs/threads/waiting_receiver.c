// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// One thread serves requests: it waits in MPI_Recv or MPI_Probe while the main thread asks others, and itself.
#include "threads.h"

enum { ASK = 1, ANSWER = 2, STOP = 3, QUESTIONS = 20 };

static void* serve(void* argument) {
  struct worker* worker = argument;
  for (int number = 0;; ++number) {
    int question = 0;
    MPI_Status status;
    if (number % 2 == 0) {
      MPI_Recv(&question, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, worker->comm, &status);
    } else {
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, worker->comm, &status);
      MPI_Recv(&question, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, worker->comm, &status);
    }
    if (status.MPI_TAG == STOP) return NULL;
    const int answer = question * 3 + my_rank();
    worker->sum += (uint32_t)question;
    MPI_Send(&answer, 1, MPI_INT, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
  }
}

int main(void) {
  init_for_threads();
  const int me = my_rank(), ranks = all_ranks();
  struct worker server = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &server.comm);
  if (pthread_create(&server.thread, NULL, serve, &server) != 0) abort();
  int sum = 0;
  for (int i = 0; i < QUESTIONS; ++i) {
    const int whom = (me + i) % ranks, question = me * 100 + i;
    int answer = 0;
    MPI_Send(&question, 1, MPI_INT, whom, ASK, server.comm);
    MPI_Recv(&answer, 1, MPI_INT, whom, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (answer != question * 3 + whom) abort();
    sum += answer;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const int none = 0;
  MPI_Send(&none, 1, MPI_INT, me, STOP, server.comm);
  pthread_join(server.thread, NULL);
  MPI_Comm_free(&server.comm);
  say("rank %d: answers %d, questions %u\n", me, sum, (unsigned)server.sum);
  say_all();
  MPI_Finalize();
  return 0;
}
