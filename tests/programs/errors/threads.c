// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Threads of rank 0 wait for what never comes, or for what another thread sends much later.
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static const char* why;

static bool is(const char* what) { return strcmp(why, what) == 0; }

/** As long as the system counts it; the functions of the C library show a rank's own time to its main thread. */
static void compute(double seconds) {
  for (const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC); clock() < end;) {
  }
}

static void* other(void* argument) {
  (void)argument;
  int value = 7;
  if (is("deadlock")) MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (is("livelock")) {
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
    for (int flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  }
  if (is("sleep")) usleep(300000);
  if (is("compute")) compute(0.2);
  MPI_Send(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  why = argv[1];
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int value = 0;
  if (my_rank() == 0) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, other, NULL) != 0) return 2;
    MPI_Recv(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
    printf("rank 0 has %d\n", value);
  } else if (my_rank() == 1) {
    MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
