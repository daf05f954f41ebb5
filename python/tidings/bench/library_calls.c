/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/* Calls whose instructions are counted: the first one, and one after a few more, when what is set up once is there. The
 * two calls of MPI_Pcontrol around it tell where it begins and ends. Rank 0 prints the names in order. */
#include <mpi.h>
#include <stdio.h>

enum { WARM = 8, ELEMENTS = 8, TAG = 7 };

static int rank;
static double sent[ELEMENTS], received[ELEMENTS];

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void broadcast(void) { MPI_Bcast(sent, ELEMENTS, MPI_DOUBLE, 0, MPI_COMM_WORLD); }

static void allreduce(void) { MPI_Allreduce(sent, received, ELEMENTS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }

static void send(void) { MPI_Send(sent, ELEMENTS, MPI_DOUBLE, 1 - rank, TAG, MPI_COMM_WORLD); }

static void receive(void) {
  MPI_Recv(received, ELEMENTS, MPI_DOUBLE, 1 - rank, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void count(const char* name, void (*call)(void)) {
  MPI_Pcontrol(0);
  call();
  MPI_Pcontrol(0);
  if (rank == 0) puts(name);
}

static void count_collective(const char* name, void (*call)(void)) {
  count(name, call);
  for (int i = 0; i < WARM; ++i) call();
  count(name, call);
}

/* Rank 0's half of a round trip is counted. */
static void count_round_trip(void) {
  if (rank == 0) {
    count("send", send);
    count("receive", receive);
  } else {
    receive();
    send();
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  count_collective("barrier", barrier);
  count_collective("broadcast", broadcast);
  count_collective("allreduce", allreduce);
  count_round_trip();
  for (int i = 0; i < WARM; ++i) {
    if (rank == 0) send();
    receive();
    if (rank == 1) send();
  }
  count_round_trip();
  MPI_Finalize();
  return 0;
}
