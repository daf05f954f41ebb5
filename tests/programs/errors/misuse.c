// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A mistake for each name that the first argument can be. MPI goes on in spite of it, so the program ends well.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/** Nothing is wrong with these collectives, though their members say the same in different ways. */
static void right_collectives(void) {
  enum { MOST = 16 };
  int data[2 * MOST] = {0}, got[2 * MOST], counts[MOST], twos[MOST], places[MOST];
  MPI_Datatype two, types[MOST];
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_commit(&two);
  for (int i = 0; i < ranks; ++i) {
    counts[i] = 1;
    twos[i] = 2;
    places[i] = 2 * i;
  }
  const int even = rank % 2 == 0;
  MPI_Gatherv(rank == 1 ? MPI_IN_PLACE : data, 2, MPI_INT, got, twos, places, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Scatterv(data, twos, places, MPI_INT, rank == 1 ? MPI_IN_PLACE : got, 1, two, 1, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) places[i] = even ? 2 * i : i;
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, even ? twos : counts, places, even ? MPI_INT : two,
                 MPI_COMM_WORLD);
  MPI_Allgatherv(data, 2, MPI_INT, got, even ? twos : counts, places, even ? MPI_INT : two, MPI_COMM_WORLD);
  MPI_Alltoallv(data, even ? twos : counts, places, even ? MPI_INT : two, got, even ? counts : twos, places,
                even ? two : MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) {
    types[i] = i == rank ? two : MPI_INT;
    counts[i] = i == rank ? 1 : 2;
    places[i] = 2 * i * (int)sizeof(int);
  }
  MPI_Request request;
  MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, got, counts, places, types, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Reduce_scatter(data, got, twos, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(data, got, 1, even ? MPI_INT : MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Type_free(&two);
  // One communicator takes the place of another, and has other elements.
  for (int i = 0; i < 8; ++i) {
    MPI_Comm copy;
    MPI_Comm_split(MPI_COMM_WORLD, i % 3 == 0 ? 0 : even, 0, &copy);
    if (i % 2 == 0)
      MPI_Bcast(data, 2, MPI_INT, 0, copy);
    else
      MPI_Reduce(data, got, 1, MPI_DOUBLE, MPI_MAX, 0, copy);
    MPI_Comm_free(&copy);
  }
}

/** Nothing is wrong with these accesses: buffers are used again when the accesses are complete. */
static void right_accesses(void) {
  enum { COUNT = 4 };
  const int next = (rank + 1) % ranks;
  int memory[COUNT] = {0}, mine[COUNT] = {0}, got[COUNT] = {0}, one = 1;
  MPI_Win window;
  MPI_Request request;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put(mine, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, window);
  MPI_Put(mine, COUNT, MPI_INT, MPI_PROC_NULL, 0, COUNT, MPI_INT, window);
  MPI_Win_fence(0, window);
  mine[0] = 1;
  MPI_Get(got, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, window);
  MPI_Get(got, COUNT, MPI_INT, MPI_PROC_NULL, 0, COUNT, MPI_INT, window);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  MPI_Win_lock_all(0, window);
  for (int i = 0; i < 3; ++i) {
    mine[1] = i;
    MPI_Accumulate(mine, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, MPI_SUM, window);
    MPI_Win_flush_local(next, window);
    MPI_Fetch_and_op(&one, got, MPI_INT, next, 0, MPI_SUM, window);
    MPI_Compare_and_swap(&one, &one, &got[1], MPI_INT, next, 1, window);
    MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, &got[2], 2, MPI_INT, next, 0, 2, MPI_INT, MPI_NO_OP, window);
    MPI_Win_flush(next, window);
    one = i;
    MPI_Rput(mine, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, window, &request);
    MPI_Win_flush_all(window);
    mine[2] = i;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget_accumulate(mine, COUNT, MPI_INT, got, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, MPI_SUM, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
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

/** Two ranks take themselves for the root, at first of a communicator with a number that another one has had. */
static void other_root(void) {
  int value = rank;
  for (int round = 0; round < 2; ++round) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank == (round == 0 ? 2 : 1), 0, &part);
    for (int i = 0; i <= round; ++i) MPI_Bcast(&value, 1, MPI_INT, 0, part);
    MPI_Comm_free(&part);
  }
  MPI_Gather(&value, 1, MPI_INT, (int[8]){0}, 1, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Bcast(&value, 1, MPI_INT, rank == 1 ? 1 : 0, MPI_COMM_WORLD);
}

/** A rank broadcasts while the others reduce. */
static void other_rooted(void) {
  int value = rank, sum;
  if (rank == 0)
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  else
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

/** A rank gives all others more than these expect. */
static void other_count(void) {
  int mine[2] = {rank, rank}, all[16];
  MPI_Allgather(mine, rank == 1 ? 2 : 1, MPI_INT, all, rank == 1 ? 2 : 1, MPI_INT, MPI_COMM_WORLD);
}

/** A rank expects more of itself than the others do. */
static void other_counts(void) {
  int mine[2] = {rank, rank}, all[16], counts[8], places[8];
  for (int i = 0; i < ranks; ++i) {
    counts[i] = rank == 1 && i == 1 ? 2 : 1;
    places[i] = 2 * i;
  }
  MPI_Allgatherv(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
}

/** A rank waits for the others while these gather. */
static void other_collective(void) {
  int all[8];
  if (rank == 1)
    MPI_Barrier(MPI_COMM_WORLD);
  else
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
}

/** The blocks of a gather are not what its root expects. */
static void other_gather(void) {
  float mine = 1;
  int all[16] = {0};
  MPI_Gather(&mine, 1, rank == 2 ? MPI_FLOAT : MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD);
}

/** Numbers of one size are summed up as others. */
static void other_reduction(void) {
  float fraction = 1, sum = 0;
  int number = 1, total = 0;
  if (rank == 1)
    MPI_Scan(&fraction, &sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  else
    MPI_Scan(&number, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/** What a rank has for another one is not what that one expects: in the first way, the second and so on. */
static void blocks(int way) {
  int counts[3] = {1, 1, 1}, places[3] = {0, 1, 2}, bytes[3] = {0, 4, 8}, data[3] = {0}, got[3];
  MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT}, others[3] = {MPI_INT, MPI_INT, MPI_INT};
  const MPI_Datatype type = rank == 1 ? MPI_FLOAT : MPI_INT;
  MPI_Request request;
  if (rank == 1) others[2] = MPI_UNSIGNED;
  if (way == 0) MPI_Gatherv(data, 1, type, got, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  if (way == 1) MPI_Scatterv(data, counts, places, MPI_INT, got, 1, type, 0, MPI_COMM_WORLD);
  if (way == 2) MPI_Allgatherv(data, 1, type, got, counts, places, MPI_INT, MPI_COMM_WORLD);
  if (way == 3) MPI_Alltoallv(data, counts, places, type, got, counts, places, MPI_INT, MPI_COMM_WORLD);
  if (way == 4) MPI_Alltoallw(data, counts, bytes, types, got, counts, bytes, others, MPI_COMM_WORLD);
  if (way == 5) {
    MPI_Ialltoallv(data, counts, places, MPI_INT, got, counts, places, type, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}
static void other_gatherv(void) { blocks(0); }
static void other_scatterv(void) { blocks(1); }
static void other_allgatherv(void) { blocks(2); }
static void other_alltoallv(void) { blocks(3); }
static void other_alltoallw(void) { blocks(4); }
static void other_ialltoallv(void) { blocks(5); }

/** A rank has another type for its neighbours than these expect: in a ring, at once or not; in a graph. */
static void near(int way) {
  const int periodic = 1, left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  int counts[2] = {1, 1}, places[2] = {0, 1}, data[2] = {0}, got[2];
  const MPI_Datatype type = rank == 1 ? MPI_FLOAT : MPI_INT;
  MPI_Comm ring;
  MPI_Request request;
  if (way < 2) {
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  } else {
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &ring);
  }
  if (way == 0) MPI_Neighbor_alltoall(data, 1, type, got, 1, MPI_INT, ring);
  if (way == 1) {
    MPI_Ineighbor_alltoallv(data, counts, places, type, got, counts, places, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (way == 2) MPI_Neighbor_allgather(data, 1, type, got, 1, MPI_INT, ring);
  MPI_Comm_free(&ring);
}
static void other_neighbours(void) { near(0); }
static void other_neighbours_at_once(void) { near(1); }
static void other_neighbour_of_graph(void) { near(2); }

/** A message that has been matched is received as something else; the one behind it is not. */
static void other_match(void) {
  int number = 0;
  float fraction = 0;
  MPI_Message message;
  if (rank == 0) {
    MPI_Send(&fraction, 1, MPI_FLOAT, 1, 3, MPI_COMM_WORLD);
    MPI_Send(&number, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Recv(&number, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mrecv(&number, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  }
}

/** The halves of a partitioned message have elements of their own. */
static void other_partitions(void) {
  float sent[4] = {0};
  int got[4];
  MPI_Request request;
  if (rank > 1) return;
  if (rank == 0)
    MPI_Psend_init(sent, 2, 2, MPI_FLOAT, 1, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(got, 1, 4, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  if (rank == 0) MPI_Pready_range(0, 1, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

/** Data for a window changes before the access is complete; what has been got is sent before it is there. */
static void accesses(int way) {
  enum { COUNT = 10000 };
  static int memory[COUNT], data[COUNT], other[COUNT];
  MPI_Win window;
  MPI_Request request;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (way == 0) {
    MPI_Win_fence(0, window);
    if (rank == 0) {
      MPI_Put(data, COUNT, MPI_INT, 1, 0, COUNT, MPI_INT, window);
      data[COUNT / 2] = 1;
    }
    MPI_Win_fence(0, window);
  } else if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    if (way == 1) {
      MPI_Get(data, COUNT, MPI_INT, 1, 0, COUNT, MPI_INT, window);
      MPI_Sendrecv(data, 1, MPI_INT, 0, 1, other, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Win_flush(1, window);
    } else if (way == 2) {
      MPI_Fetch_and_op(&other[0], &data[0], MPI_INT, 1, 0, MPI_SUM, window);
      MPI_Fetch_and_op(&other[0], &data[0], MPI_INT, 1, 1, MPI_SUM, window);
      MPI_Win_flush_local_all(window);
    } else {
      MPI_Raccumulate(data, COUNT, MPI_INT, 1, 0, COUNT, MPI_INT, MPI_SUM, window, &request);
      data[0] = 1;
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock(1, window);
  }
  MPI_Win_free(&window);
}

/** Rank 0 on one side, all others on the other. */
static MPI_Comm two_sides(void) {
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 6, &between);
  MPI_Comm_free(&half);
  return between;
}

/** The members of a group of two know another datatype than the root in the other group. */
static void other_group(void) {
  MPI_Comm between = two_sides();
  int number = 1;
  float fraction = 0;
  if (rank == 0) {
    MPI_Bcast(&number, 1, MPI_INT, MPI_ROOT, between);
  } else {
    MPI_Bcast(&fraction, 1, MPI_FLOAT, 0, between);
  }
  int total = 0;
  MPI_Allreduce(&number, &total, 1, MPI_INT, MPI_SUM, between);
  MPI_Comm_free(&between);
}

/** Two groups reduce for each other: the same elements in blocks of each group's size, and then other ones. */
static void reduction_between(void) {
  MPI_Comm between = two_sides();
  const int own = rank == 0 ? ranks - 1 : 1;
  const int counts[8] = {own, own, own, own, own, own, own, own};
  int numbers[8] = {0}, block[8];
  float fractions[8] = {0}, part[8];
  MPI_Reduce_scatter(numbers, block, counts, MPI_INT, MPI_SUM, between);
  MPI_Reduce_scatter_block(numbers, block, own, MPI_INT, MPI_SUM, between);
  MPI_Reduce_scatter(rank == 0 ? (void*)numbers : fractions, block, counts, rank == 0 ? MPI_INT : MPI_FLOAT, MPI_SUM,
                     between);
  MPI_Reduce_scatter_block(rank == 0 ? (void*)numbers : fractions, part, own, rank == 0 ? MPI_INT : MPI_FLOAT, MPI_SUM,
                           between);
  MPI_Comm_free(&between);
}

/** Rank 0 says that the window of rank 1 holds what it does not put there. */
static void other_target(void) {
  static int memory[4], data[2], got[4];
  MPI_Win window;
  MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  if (rank == 0) MPI_Put(data, 2, MPI_INT, 1, 0, 2, MPI_FLOAT, window);
  if (rank == 0) MPI_Get(got, 4, MPI_INT, 1, 0, 4, MPI_INT32_T, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

/** The buffer of a send is no memory any more when the send is complete. */
static void unmapped(void) {
  const size_t bytes = 1 << 16;
  if (rank == 0) {
    void* const data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Request request;
    MPI_Isend(data, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    munmap(data, bytes);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    char got[8];
    MPI_Recv(got, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void changed_put(void) { accesses(0); }
static void early_send(void) { accesses(1); }
static void two_results(void) { accesses(2); }
static void changed_request(void) { accesses(3); }

/** One rank is at the end, and the others are not. */
static void early_end(void) {
  int value = 0;
  MPI_Bcast(&value, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD);
  if (rank != 0) MPI_Scan(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/** Put something in the way of a file of the checker, at one rank. */
static void block_file(const char* kind, const char* target) {
  char name[4096];
  const char* const file = getenv("TIDINGS_CHECK_FILE");
  if (rank != 0 || file == NULL) return;
  snprintf(name, sizeof name, "%s.%s", file, kind);
  if (symlink(target, name) != 0) perror(name);
}
static void full_disk(void) {
  int value = 0;
  block_file("places.0", "/dev/full");
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void no_file(void) {
  int value = 0, got;
  block_file("types.0", "/");
  MPI_Sendrecv(&value, 1, MPI_INT, rank, 1, &got, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*make)(void);
  } mistakes[] = {
      {"nothing", nothing},
      {"right_collectives", right_collectives},
      {"right_accesses", right_accesses},
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
      {"other_root", other_root},
      {"other_rooted", other_rooted},
      {"other_count", other_count},
      {"other_counts", other_counts},
      {"other_collective", other_collective},
      {"other_gather", other_gather},
      {"other_reduction", other_reduction},
      {"other_gatherv", other_gatherv},
      {"other_scatterv", other_scatterv},
      {"other_allgatherv", other_allgatherv},
      {"other_alltoallv", other_alltoallv},
      {"other_alltoallw", other_alltoallw},
      {"other_neighbours", other_neighbours},
      {"other_neighbours_at_once", other_neighbours_at_once},
      {"other_neighbour_of_graph", other_neighbour_of_graph},
      {"other_ialltoallv", other_ialltoallv},
      {"other_match", other_match},
      {"other_partitions", other_partitions},
      {"other_group", other_group},
      {"reduction_between", reduction_between},
      {"other_target", other_target},
      {"unmapped", unmapped},
      {"changed_put", changed_put},
      {"early_send", early_send},
      {"two_results", two_results},
      {"changed_request", changed_request},
      {"early_end", early_end},
      {"full_disk", full_disk},
      {"no_file", no_file},
  };
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; ++i)
    if (argc > 1 && strcmp(argv[1], mistakes[i].name) == 0) mistakes[i].make();
  MPI_Finalize();
  return 0;
}
