// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// One mistake for each name that the first argument can be. Each must end the run with an explanation.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;

// ------------------------------------------------------------------ deadlocks

/** Everybody waits for the right-hand neighbour. */
static void receive_cycle(void) {
  int value;
  MPI_Recv(&value, 1, MPI_INT, (rank + 1) % ranks, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/** The last rank waits for a message while the others are in a barrier. */
static void missing_in_barrier(void) {
  int value;
  if (rank == ranks - 1) {
    MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/** Rank 0 waits for a rank that is through with everything. */
static void sender_finished(void) {
  int value;
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/** A tag that nobody sends, in a wait for several requests. */
static void wrong_tag(void) {
  int value[2] = {0, 0};
  MPI_Request requests[2];
  const int other = rank ^ 1;
  MPI_Isend(&value[0], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&value[1], 1, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/** Long messages that both sides send first. */
static void send_cycle(void) {
  enum { BYTES = 1 << 20 };
  char* data = calloc(2, BYTES);
  if (data == NULL) abort();
  MPI_Send(data, BYTES, MPI_BYTE, rank ^ 1, 0, MPI_COMM_WORLD);
  MPI_Recv(data + BYTES, BYTES, MPI_BYTE, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(data);
}

/** The receive cycle of four ranks in two communicators of two. */
static void split_receive_cycle(void) {
  MPI_Comm half;
  int value;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Recv(&value, 1, MPI_INT, 1 - rank / 2, 7, half, MPI_STATUS_IGNORE);
}

/** Ranks 0 and 1 are in collectives of two communicators without a member in common, ranks 2 and 3 never come. */
static void disjoint_collectives(void) {
  MPI_Comm half;
  int value = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank == 0) MPI_Barrier(half);
  if (rank == 1) MPI_Bcast(&value, 1, MPI_INT, 1, half);
  if (rank > 1) MPI_Recv(&value, 1, MPI_INT, 5 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// ------------------------------------------------------------------ collectives that do not agree

static void root_mismatch(void) {
  int value[4] = {0};
  MPI_Bcast(value, 4, MPI_INT, rank == 1 ? 1 : 0, MPI_COMM_WORLD);
}

static void count_mismatch(void) {
  int in[4] = {0}, out[4];
  MPI_Allreduce(in, out, rank == 1 ? 3 : 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void bcast_count_mismatch(void) {
  int value[8] = {0};
  MPI_Bcast(value, rank == 1 ? 8 : 4, MPI_INT, 0, MPI_COMM_WORLD);
}

static void kind_mismatch(void) {
  int value = 0;
  if (rank == 1) {
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void operation_mismatch(void) {
  int in = 1, out;
  MPI_Allreduce(&in, &out, 1, MPI_INT, rank == 1 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
}

// ------------------------------------------------------------------ messages

static void truncated(int count) {
  int* values = calloc((size_t)count, sizeof *values);
  if (values == NULL) abort();
  if (rank == 1) MPI_Send(values, count, MPI_INT, 0, 5, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(values, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(values);
}
static void truncated_short(void) { truncated(4); }
static void truncated_long(void) { truncated(20000); }

static void invalid_rank(void) {
  int value = 0;
  if (rank == 1) MPI_Send(&value, 1, MPI_INT, ranks + 3, 0, MPI_COMM_WORLD);
}

// ------------------------------------------------------------------ processes that end

static void crash(void) {
  if (rank == 1) raise(SIGSEGV);
  MPI_Barrier(MPI_COMM_WORLD);
}

/** A wild pointer finds all that the process shares with the simulator beside the turns, which come first. */
static void scribble(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  printf("rank %d has begun\n", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  while (rank == 1 && fgets(line, sizeof line, maps) != NULL) {
    unsigned long first = 0, end = 0, offset = 0;
    if (strstr(line, "tidings-ranks") == NULL) continue;
    if (sscanf(line, "%lx-%lx %*s %lx", &first, &end, &offset) == 3 && offset != 0)
      memset((void*)first, 0xa5, end - first);  // NOLINT: the mistake
  }
  for (;;) MPI_Barrier(MPI_COMM_WORLD);
}

/** The library itself reads a wild address. */
static void crash_in_call(void) {
  if (rank == 1) {
    MPI_Send((void*)8, 100, MPI_INT, 0, 0, MPI_COMM_WORLD);  // NOLINT: the mistake
  } else {
    int values[100];
    MPI_Recv(values, 100, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void killed(void) {
  if (rank == 1) raise(SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void no_finalize(void) {
  if (rank == 1) exit(0);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void exit_status(void) {
  if (rank == 1) exit(7);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void status_after_finalize(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  exit(rank == 1 ? 9 : 0);
}

static void abort_with_code(void) {
  if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 42);
  MPI_Barrier(MPI_COMM_WORLD);
}

// ------------------------------------------------------------------ what the library is asked for

static void not_implemented(void) { MPI_Unpublish_name("service", MPI_INFO_NULL, "port"); }

static void after_finalize(void) {
  MPI_Finalize();
  MPI_Barrier(MPI_COMM_WORLD);
}

/** Never ends by itself, and never waits either. */
static void endless(void) {
  int value = 0, flag = 0;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request);
  if (rank == 0) {
    puts("started");
    fflush(stdout);
  }
  while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static const struct {
  const char* name;
  void (*make)(void);
} mistakes[] = {
    {"receive_cycle", receive_cycle},
    {"missing_in_barrier", missing_in_barrier},
    {"sender_finished", sender_finished},
    {"wrong_tag", wrong_tag},
    {"send_cycle", send_cycle},
    {"split_receive_cycle", split_receive_cycle},
    {"disjoint_collectives", disjoint_collectives},
    {"root_mismatch", root_mismatch},
    {"count_mismatch", count_mismatch},
    {"bcast_count_mismatch", bcast_count_mismatch},
    {"kind_mismatch", kind_mismatch},
    {"operation_mismatch", operation_mismatch},
    {"truncated_short", truncated_short},
    {"truncated_long", truncated_long},
    {"invalid_rank", invalid_rank},
    {"crash", crash},
    {"crash_in_call", crash_in_call},
    {"scribble", scribble},
    {"killed", killed},
    {"no_finalize", no_finalize},
    {"exit_status", exit_status},
    {"status_after_finalize", status_after_finalize},
    {"abort_with_code", abort_with_code},
    {"not_implemented", not_implemented},
    {"after_finalize", after_finalize},
    {"endless", endless},
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (size_t i = 0; argc == 2 && i < sizeof mistakes / sizeof *mistakes; ++i) {
    if (strcmp(argv[1], mistakes[i].name) == 0) mistakes[i].make();
  }
  MPI_Finalize();
  return 0;
}
