/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/* Calls whose instructions are counted: the first one, and one after a few more, when what is set up once is there. The
 * two calls of MPI_Pcontrol around it tell where it begins and ends. Rank 0 prints the names in order. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

enum { WARM = 8, ELEMENTS = 8, MANY = 64, TAG = 7, OTHER_TAG = 8, LAST_TAG = 9, WAITING = 7 };
enum { REQUESTS = 200 };
enum { RANKS = 64 }; /* at most */
enum { LONG = 512 }; /* at least MANY, and ELEMENTS per rank */

static int rank;
static double sent[LONG], received[LONG];
static MPI_Request request, second_request;
static MPI_Datatype pieces;
static int counts[RANKS], places[RANKS], byte_places[RANKS];
static MPI_Datatype types[RANKS];
static MPI_Request requests[REQUESTS];
static int indices[REQUESTS];
static MPI_Win window;
static double exposed[LONG];
static double *given, *taken, *allocated;
static int64_t addends[ELEMENTS], found;

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void broadcast(void) { MPI_Bcast(sent, ELEMENTS, MPI_DOUBLE, 0, MPI_COMM_WORLD); }

static void broadcast_many(void) { MPI_Bcast(sent, MANY, MPI_DOUBLE, 0, MPI_COMM_WORLD); }

static void allreduce(void) { MPI_Allreduce(sent, received, ELEMENTS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }

static void allgather(void) {
  MPI_Allgather(sent, ELEMENTS, MPI_DOUBLE, received, ELEMENTS, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void alltoall(void) { MPI_Alltoall(sent, ELEMENTS, MPI_DOUBLE, received, ELEMENTS, MPI_DOUBLE, MPI_COMM_WORLD); }

/* Blocks in node memory, which engines read and write there. */
static void alltoall_given(void) {
  MPI_Alltoall(given, ELEMENTS, MPI_DOUBLE, taken, ELEMENTS, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* Counts of their own, though equal. */
static void alltoallv(void) {
  MPI_Alltoallv(sent, counts, places, MPI_DOUBLE, received, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* Datatypes of their own, though equal. */
static void alltoallw(void) {
  MPI_Alltoallw(sent, counts, byte_places, types, received, counts, byte_places, types, MPI_COMM_WORLD);
}

static void alltoall_in_place(void) {
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DOUBLE, received, ELEMENTS, MPI_DOUBLE, MPI_COMM_WORLD);
}

/* The engine has no product: messages carry it out. */
static void product(void) { MPI_Allreduce(sent, received, ELEMENTS, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD); }

static void product_many(void) { MPI_Allreduce(sent, received, MANY, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD); }

static void send(void) { MPI_Send(sent, ELEMENTS, MPI_DOUBLE, rank ^ 1, TAG, MPI_COMM_WORLD); }

static void send_other(void) { MPI_Send(sent, ELEMENTS, MPI_DOUBLE, rank ^ 1, OTHER_TAG, MPI_COMM_WORLD); }

/* Every other element: a copy for each. */
static void send_pieces(void) { MPI_Send(sent, 1, pieces, rank ^ 1, TAG, MPI_COMM_WORLD); }

static void receive(void) {
  MPI_Recv(received, ELEMENTS, MPI_DOUBLE, rank ^ 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receive_other(void) {
  MPI_Recv(received, ELEMENTS, MPI_DOUBLE, rank ^ 1, OTHER_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_last(void) { MPI_Send(sent, ELEMENTS, MPI_DOUBLE, rank ^ 1, LAST_TAG, MPI_COMM_WORLD); }

/* A receive from any rank looks through what waits. */
static void receive_last(void) {
  MPI_Recv(received, ELEMENTS, MPI_DOUBLE, MPI_ANY_SOURCE, LAST_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_long(void) { MPI_Send(sent, LONG, MPI_DOUBLE, rank ^ 1, TAG, MPI_COMM_WORLD); }

static void receive_long(void) {
  MPI_Recv(received, LONG, MPI_DOUBLE, rank ^ 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void start_send(void) { MPI_Isend(sent, ELEMENTS, MPI_DOUBLE, rank ^ 1, TAG, MPI_COMM_WORLD, &request); }

static void start_receive(void) { MPI_Irecv(received, ELEMENTS, MPI_DOUBLE, rank ^ 1, TAG, MPI_COMM_WORLD, &request); }

/* It waits behind the first. */
static void start_second(void) {
  MPI_Irecv(sent, ELEMENTS, MPI_DOUBLE, rank ^ 1, OTHER_TAG, MPI_COMM_WORLD, &second_request);
}

static void test(void) {
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

static void wait(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

static void exchange(void) {
  MPI_Sendrecv(sent, ELEMENTS, MPI_DOUBLE, rank ^ 1, TAG, received, ELEMENTS, MPI_DOUBLE, rank ^ 1, TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

/* Half of the requests are receives, half are sends to and from the same rank. */
static void start_many(void) {
  for (int i = 0; i < REQUESTS / 2; ++i) {
    MPI_Irecv(received, 1, MPI_DOUBLE, rank ^ 1, TAG, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = REQUESTS / 2; i < REQUESTS; ++i) {
    MPI_Isend(sent, 1, MPI_DOUBLE, rank ^ 1, TAG, MPI_COMM_WORLD, &requests[i]);
  }
}

static void wait_for_many(void) { MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE); }

static void wait_for_some(void) {
  int done = 0;
  MPI_Waitsome(REQUESTS, requests, &done, indices, MPI_STATUSES_IGNORE);
}

/* To the same rank as all messages. */
static void matched_probe(void) {
  MPI_Message message;
  start_send();
  MPI_Mprobe(rank ^ 1, TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(received, ELEMENTS, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  wait();
}

static void exchange_in_place(void) {
  MPI_Sendrecv_replace(sent, ELEMENTS, MPI_DOUBLE, rank ^ 1, TAG, rank ^ 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Accesses to windows, with what completes them; the rank carries out those of the other one meanwhile. */
static void fence(void) { MPI_Win_fence(0, window); }

static void put(void) {
  MPI_Put(sent, ELEMENTS, MPI_DOUBLE, rank ^ 1, 0, ELEMENTS, MPI_DOUBLE, window);
  MPI_Win_flush(rank ^ 1, window);
}

static void get(void) {
  MPI_Get(received, ELEMENTS, MPI_DOUBLE, rank ^ 1, 0, ELEMENTS, MPI_DOUBLE, window);
  MPI_Win_flush(rank ^ 1, window);
}

static void accumulate(void) {
  MPI_Accumulate(sent, ELEMENTS, MPI_DOUBLE, rank ^ 1, 0, ELEMENTS, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_flush(rank ^ 1, window);
}

static void fetch_and_add(void) {
  MPI_Fetch_and_op(sent, received, MPI_DOUBLE, rank ^ 1, 0, MPI_SUM, window);
  MPI_Win_flush(rank ^ 1, window);
}

/* Of whole numbers: engines with atomics carry them out, if the window is node memory. */
static void add(void) {
  MPI_Accumulate(addends, 1, MPI_INT64_T, rank ^ 1, 0, 1, MPI_INT64_T, MPI_SUM, window);
  MPI_Win_flush(rank ^ 1, window);
}

static void fetch_and_add_whole(void) {
  MPI_Fetch_and_op(addends, &found, MPI_INT64_T, rank ^ 1, 0, MPI_SUM, window);
  MPI_Win_flush(rank ^ 1, window);
}

/* A command for each element. */
static void add_many(void) {
  MPI_Accumulate(addends, ELEMENTS, MPI_INT64_T, rank ^ 1, 0, ELEMENTS, MPI_INT64_T, MPI_SUM, window);
  MPI_Win_flush(rank ^ 1, window);
}

static void count(const char* name, void (*call)(void)) {
  MPI_Pcontrol(0);
  call();
  MPI_Pcontrol(0);
  if (rank == 0) puts(name);
}

/* Calls that all ranks make together. */
static void count_together(const char* name, void (*call)(void)) {
  count(name, call);
  for (int i = 0; i < WARM; ++i) call();
  count(name, call);
}

/* Calls for which requests are started. */
static void count_many(void) {
  start_many();
  count("wait for 200", wait_for_many);
  start_many();
  count("wait for some of 200", wait_for_some);
  wait_for_many();
}

static void count_accesses(void) {
  MPI_Win_create(exposed, sizeof exposed, sizeof *exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  count_together("fence", fence);
  MPI_Win_lock_all(0, window);
  count_together("put and flush", put);
  count_together("get and flush", get);
  count_together("accumulate and flush", accumulate);
  count_together("fetch, add and flush", fetch_and_add);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

static void count_direct_accesses(void) {
  MPI_Win_allocate(LONG * sizeof *allocated, sizeof *allocated, MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &window);
  MPI_Win_lock_all(0, window);
  count_together("put and flush, allocated", put);
  count_together("get and flush, allocated", get);
  count_together("add and flush, allocated", add);
  count_together("add 8 and flush, allocated", add_many);
  count_together("fetch, add and flush, allocated", fetch_and_add_whole);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

/* The part of even ranks in messages to and fro is counted. */
static void count_messages(void) {
  if (rank % 2 == 0) {
    count("send", send);
    count("receive", receive);
    count("send in pieces", send_pieces);
    count("send long", send_long);
    count("receive long", receive_long);
    count("start send", start_send);
    count("wait for send", wait);
    count("start receive", start_receive);
    count("start second receive", start_second);
    count("test in vain", test);
    barrier();
    barrier(); /* the message has come */
    count("wait", wait);
    MPI_Wait(&second_request, MPI_STATUS_IGNORE);
    receive_other();
    count("receive what waits", receive);
    receive_other();
    count("receive the last of 8", receive_last);
    for (int i = 0; i < WAITING; ++i) receive();
  } else {
    receive();
    send();
    receive();
    receive_long();
    send_long();
    receive();
    barrier();
    send();
    send_other();
    barrier();
    send();
    send_other();
    for (int i = 0; i < WAITING; ++i) send();
    send_last();
    send_other();
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < RANKS; ++i) {
    counts[i] = ELEMENTS;
    places[i] = ELEMENTS * i;
    byte_places[i] = places[i] * (int)sizeof(double);
    types[i] = MPI_DOUBLE;
  }
  MPI_Alloc_mem(LONG * sizeof *given, MPI_INFO_NULL, &given);
  MPI_Alloc_mem(LONG * sizeof *taken, MPI_INFO_NULL, &taken);
  MPI_Type_vector(ELEMENTS, 1, 2, MPI_DOUBLE, &pieces);
  MPI_Type_commit(&pieces);
  count_together("barrier", barrier);
  count_together("broadcast", broadcast);
  count_together("broadcast of 64", broadcast_many);
  count_together("allreduce", allreduce);
  count_together("all-gather", allgather);
  count_together("all-to-all", alltoall);
  count_together("all-to-all in node memory", alltoall_given);
  count_together("all-to-all of counts", alltoallv);
  count_together("all-to-all of types", alltoallw);
  count_together("all-to-all in place", alltoall_in_place);
  count_together("product", product);
  count_together("product of 64", product_many);
  count_together("exchange", exchange);
  count_together("exchange in place", exchange_in_place);
  count_together("send, matched probe and receive", matched_probe);
  count_messages();
  count_many();
  for (int i = 0; i < WARM; ++i) exchange();
  for (int i = 0; i < WARM; ++i) {
    start_many();
    wait_for_many();
  }
  count_messages();
  count_many();
  count_accesses();
  count_direct_accesses();
  MPI_Type_free(&pieces);
  MPI_Free_mem(taken);
  MPI_Free_mem(given);
  MPI_Finalize();
  return 0;
}
