// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A mistake for each name that the first argument can be. MPI goes on in spite of it, so the program ends well.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

/** Nothing is wrong: what looks like a mistake is none. */
static void nothing(void) {
  enum { COUNT = 1000 };
  static int data[2 * COUNT], copy[COUNT];
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Request requests[4];
  // Columns of one matrix lie between each other. One buffer may be read for two messages.
  MPI_Datatype column;
  MPI_Type_vector(COUNT, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Isend(&data[0], 1, column, right, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&data[0], 1, column, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv(&data[1], 1, column, left, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Irecv(NULL, 0, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Type_free(&column);
  MPI_Recv(copy, COUNT, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);

  // What is got from an object is freed, and predefined handles need not be.
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  MPI_Group group;
  MPI_Comm_group(half, &group);
  MPI_Group_free(&group);
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(half, &handler);
  MPI_Comm_free(&half);

  // A persistent request is used again with other data.
  int value = rank, got = -1;
  MPI_Send_init(&value, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&got, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    value += got;
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);

  // A receive that is cancelled, a collective in place, a message that is matched first.
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  for (int done = 0; !done;) MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
  MPI_Isend(&value, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Message message;
  MPI_Mprobe(left, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  int index;
  MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE);
}

static void communicator(void) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
}

static void objects(void) {
  MPI_Datatype type;
  MPI_Group group;
  MPI_Win window;
  int memory = 0;
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}

static void pending_receive(void) {
  static int value;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD, &request);
}

static void forgotten_wait(void) {
  static int value;
  MPI_Request request;
  MPI_Isend(&value, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &request);
  MPI_Recv(&value, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void persistent(void) {
  static int value;
  MPI_Request request;
  MPI_Send_init(&value, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &request);
}

/** Rank 0 sends three messages, of which only the first is received. */
static void unreceived(void) {
  int value = 0;
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, rank > 1, 0, &pair);
  if (rank == 0) {
    for (int i = 0; i < 2; ++i) MPI_Send(&value, 1, MPI_INT, 1, 9, pair);
    MPI_Send(&value, 1, MPI_INT, 1, 9, pair);
  } else if (rank == 1) {
    MPI_Recv(&value, 1, MPI_INT, 0, 9, pair, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&pair);
}

/** The data of a long message changes before it has left. */
static void changed_buffer(void) {
  enum { COUNT = 10000 };
  static int data[COUNT], got[COUNT];
  MPI_Request request;
  if (rank == 0) {
    MPI_Isend(data, COUNT, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    data[COUNT / 2] = 1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(got, COUNT, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/** Two receives into one buffer. */
static void shared_buffer(void) {
  int data[8] = {0};
  MPI_Request requests[2];
  MPI_Irecv(&data[0], 5, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&data[4], 4, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[1]);
  int sent[5] = {1, 2, 3, 4, 5};
  MPI_Send(sent, 5, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Send(sent, 4, MPI_INT, rank, 2, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*make)(void);
  } mistakes[] = {
      {"nothing", nothing},
      {"communicator", communicator},
      {"objects", objects},
      {"pending_receive", pending_receive},
      {"forgotten_wait", forgotten_wait},
      {"persistent", persistent},
      {"unreceived", unreceived},
      {"changed_buffer", changed_buffer},
      {"shared_buffer", shared_buffer},
  };
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i)
    if (argc > 1 && strcmp(argv[1], mistakes[i].name) == 0) mistakes[i].make();
  MPI_Finalize();
  return 0;
}
