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

  // Types of the same values match, as do a struct and its elements, and packed data matches all. Nobody uses the
  // buffers of a peer that is none.
  MPI_Datatype pair, again;
  MPI_Type_contiguous(2, MPI_INT32_T, &pair);
  MPI_Type_dup(MPI_INT, &again);
  MPI_Type_commit(&pair);
  int pairs[4] = {0}, into[8];
  MPI_Sendrecv(pairs, 2, pair, right, 6, into, 8, again, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(pairs, 2, pair, right, 6, into, sizeof into, MPI_PACKED, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&pair);
  MPI_Type_free(&again);
  MPI_Bcast(&value, 1, rank == 0 ? MPI_INT : MPI_INT32_T, 0, MPI_COMM_WORLD);
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  // Calls may read what a request reads, and use what lies beside it.
  MPI_Irecv(&pairs[0], 2, MPI_INT, left, 8, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&pairs[2], 2, MPI_INT, right, 8, MPI_COMM_WORLD, &requests[1]);
  MPI_Sendrecv(&pairs[2], 2, MPI_INT, right, 9, into, 2, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

  // The receive that was started first gets the first message, though the program waits for the other one first.
  for (int i = 0; i < 2; ++i) {
    const float fraction = 1;
    float part = 0;
    MPI_Irecv(copy, COUNT, MPI_INT, i == 0 ? left : MPI_ANY_SOURCE, 10 + i, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&part, 1, MPI_FLOAT, left, 10 + i, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(data, COUNT, MPI_INT, right, 10 + i, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&fraction, 1, MPI_FLOAT, right, 10 + i, MPI_COMM_WORLD, &requests[3]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
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
  static int value, got;
  MPI_Request request;
  MPI_Isend(&value, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &request);
  MPI_Recv(&got, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
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

/** A message is received where another one may come; what is sent comes from there as well. */
static void blocking_receive(void) {
  int data[8] = {0}, sent[4] = {1, 2, 3, 4};
  MPI_Request requests[2];
  MPI_Irecv(&data[0], 4, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(sent, 4, MPI_INT, rank, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv(&data[2], 4, MPI_INT, rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(sent, 4, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/** A sum is made of numbers that are still to come. */
static void early_sum(void) {
  int number = 0, sum = 0;
  MPI_Request request;
  MPI_Irecv(&number, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Send(&sum, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/** Floats are sent, and integers received. What comes from the others is right, and comes in any order. */
static void other_type(void) {
  if (rank == 0) {
    int all[2] = {0}, one = 0;
    MPI_Request requests[3];
    MPI_Irecv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&all[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&all[1], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[2]);
    for (int i = 0, index; i < 3; ++i) MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
  } else {
    const int value = 1;
    const float other = 1;
    if (rank == 1) {
      MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
      MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    } else {
      MPI_Send(&other, 1, MPI_FLOAT, 0, 1, MPI_COMM_WORLD);
    }
  }
}

/** A struct has an element that its receiver takes for another, behind many that are right. */
static void other_element(void) {
  enum { COUNT = 100 };
  struct {
    double value;
    int number, flag;
  } sent[COUNT] = {{0}}, got[COUNT];
  const int lengths[3] = {1, 1, 1};
  const MPI_Aint places[3] = {0, 8, 12};
  const MPI_Datatype types[3] = {MPI_DOUBLE, MPI_INT, MPI_INT}, others[3] = {MPI_DOUBLE, MPI_INT, MPI_UNSIGNED};
  MPI_Datatype made[2];
  MPI_Type_create_struct(3, lengths, places, types, &made[0]);
  MPI_Type_create_struct(3, lengths, places, others, &made[1]);
  for (int i = 0; i < 2; ++i) MPI_Type_commit(&made[i]);
  MPI_Sendrecv(sent, COUNT, made[0], (rank + 1) % ranks, 0, got, COUNT, made[1], (rank + ranks - 1) % ranks, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; ++i) MPI_Type_free(&made[i]);
}

/** Bytes are no integers for the standard. */
static void bytes(void) {
  int value = rank;
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&value, sizeof value, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/** The root of a broadcast sends what the others do not receive. */
static void other_broadcast(void) {
  double value = 1;
  long long number = 0;
  if (rank == 0)
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  else
    MPI_Bcast(&number, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
}

/** The blocks of a gather are not what its root expects. */
static void other_gather(void) {
  float mine = 1;
  int all[16] = {0};
  MPI_Gather(&mine, 1, rank == 2 ? MPI_FLOAT : MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD);
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
      {"blocking_receive", blocking_receive},
      {"early_sum", early_sum},
      {"other_type", other_type},
      {"other_element", other_element},
      {"bytes", bytes},
      {"other_broadcast", other_broadcast},
      {"other_gather", other_gather},
  };
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i)
    if (argc > 1 && strcmp(argv[1], mistakes[i].name) == 0) mistakes[i].make();
  MPI_Finalize();
  return 0;
}
