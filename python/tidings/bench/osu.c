// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0

// What `tidings bench osu` runs: the measurements that the OSU micro-benchmarks have made usual, written anew.
//
// osu NAME FIRST LAST ITERATIONS measures one benchmark with FIRST, 2 FIRST, ... LAST bytes. Rank 0 prints a line for
// each size: bytes, value, least and greatest value of a rank, the value with computation, and how much of this
// overlaps in percent. Values are microseconds, MB/s (1,000,000 bytes) or messages per second. Without arguments, it
// prints the names, with family, unit and the least bytes of each.
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WINDOW = 64, TAG = 1, NOTHING = -1 };

/** The values of one size. */
struct values {
  double value, least, most, together, overlap;
};

static int rank, ranks, iterations;
static char *sent, *received;
static int *counts, *places;
static MPI_Datatype* types;

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "osu: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/** Two buffers for `blocks` blocks, and what collectives with a count per rank need. */
static void allocate(int bytes, int blocks) {
  const size_t size = (size_t)bytes * (size_t)blocks + 1;
  MPI_Alloc_mem((MPI_Aint)size, MPI_INFO_NULL, &sent);
  MPI_Alloc_mem((MPI_Aint)size, MPI_INFO_NULL, &received);
  counts = malloc((size_t)ranks * sizeof *counts);
  places = malloc((size_t)ranks * sizeof *places);
  types = malloc((size_t)ranks * sizeof *types);
  check(sent != NULL && received != NULL && counts != NULL && places != NULL && types != NULL, "no memory is left");
  memset(sent, 1, size);
  memset(received, 0, size);
  for (int i = 0; i < ranks; ++i) {
    counts[i] = bytes;
    places[i] = i * bytes;
    types[i] = MPI_BYTE;
  }
}

static void release(void) {
  MPI_Free_mem(sent);
  MPI_Free_mem(received);
  free(counts);
  free(places);
  free(types);
}

// ---------------------------------------------------------------- two ranks and pairs of ranks

static struct values latency(int bytes) {
  double begin = 0;
  for (int i = 0; i <= iterations; ++i) {
    if (i == 1) begin = MPI_Wtime();
    if (rank == 0) {
      MPI_Send(sent, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
      MPI_Recv(received, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(received, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(sent, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    }
  }
  return (struct values){.value = (MPI_Wtime() - begin) / (2 * iterations) * 1e6};
}

/** Send a window of messages to a peer, or receive it, or both; the receiver answers at the end. */
static void window(int bytes, int peer, bool sends, bool receives) {
  static MPI_Request requests[2 * WINDOW];
  int made = 0;
  char answer = 0;
  for (int i = 0; receives && i < WINDOW; ++i)
    MPI_Irecv(received, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[made++]);
  for (int i = 0; sends && i < WINDOW; ++i)
    MPI_Isend(sent, bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &requests[made++]);
  MPI_Waitall(made, requests, MPI_STATUSES_IGNORE);
  if (sends && !receives) MPI_Recv(&answer, 1, MPI_CHAR, peer, TAG + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (receives && !sends) MPI_Send(&answer, 1, MPI_CHAR, peer, TAG + 1, MPI_COMM_WORLD);
}

/** Seconds that windows take between rank r and rank r + distance, for all r below distance. */
static double windows(int bytes, int distance, bool both) {
  double begin = 0;
  for (int i = 0; i <= iterations; ++i) {
    if (i == 1) {
      barrier();
      begin = MPI_Wtime();
    }
    if (rank < distance) window(bytes, rank + distance, true, both);
    if (rank >= distance && rank < 2 * distance) window(bytes, rank - distance, both, true);
  }
  double took = MPI_Wtime() - begin, most = 0;
  MPI_Reduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return most;
}

static struct values bw(int bytes) {
  return (struct values){.value = (double)bytes * WINDOW * iterations / windows(bytes, 1, false) * 1e-6};
}
static struct values bibw(int bytes) {
  return (struct values){.value = 2.0 * bytes * WINDOW * iterations / windows(bytes, 1, true) * 1e-6};
}
static struct values mbw_mr(int bytes) {
  return (struct values){.value = (double)(ranks / 2) * WINDOW * iterations / windows(bytes, ranks / 2, false)};
}

// ---------------------------------------------------------------- collectives

/** Each collective: its names, the least and most bytes that make sense (0: any; NOTHING: none), and its arguments. `n`
 * is bytes of a vector or block, F its floats. */
#define F (n / (int)sizeof(float))
#define WORLD MPI_COMM_WORLD
#define COLLECTIVES(DO)                                                                                  \
  DO(barrier, Barrier, 0, NOTHING, ())                                                                   \
  DO(bcast, Bcast, 1, 0, (sent, n, MPI_BYTE, 0, ))                                                       \
  DO(reduce, Reduce, 4, 0, (sent, received, F, MPI_FLOAT, MPI_SUM, 0, ))                                 \
  DO(allreduce, Allreduce, 4, 0, (sent, received, F, MPI_FLOAT, MPI_SUM, ))                              \
  DO(gather, Gather, 1, 0, (sent, n, MPI_BYTE, received, n, MPI_BYTE, 0, ))                              \
  DO(gatherv, Gatherv, 1, 0, (sent, n, MPI_BYTE, received, counts, places, MPI_BYTE, 0, ))               \
  DO(scatter, Scatter, 1, 0, (sent, n, MPI_BYTE, received, n, MPI_BYTE, 0, ))                            \
  DO(scatterv, Scatterv, 1, 0, (sent, counts, places, MPI_BYTE, received, n, MPI_BYTE, 0, ))             \
  DO(allgather, Allgather, 1, 0, (sent, n, MPI_BYTE, received, n, MPI_BYTE, ))                           \
  DO(allgatherv, Allgatherv, 1, 0, (sent, n, MPI_BYTE, received, counts, places, MPI_BYTE, ))            \
  DO(alltoall, Alltoall, 1, 0, (sent, n, MPI_BYTE, received, n, MPI_BYTE, ))                             \
  DO(alltoallv, Alltoallv, 1, 0, (sent, counts, places, MPI_BYTE, received, counts, places, MPI_BYTE, )) \
  DO(alltoallw, Alltoallw, 1, 0, (sent, counts, places, types, received, counts, places, types, ))       \
  DO(reduce_scatter_block, Reduce_scatter_block, 4, 0, (sent, received, F, MPI_FLOAT, MPI_SUM, ))        \
  DO(scan, Scan, 4, 0, (sent, received, F, MPI_FLOAT, MPI_SUM, ))                                        \
  DO(exscan, Exscan, 4, 0, (sent, received, F, MPI_FLOAT, MPI_SUM, ))

#define UNWRAP(...) __VA_ARGS__
#define DEFINE(name, Name, least, most, arguments)        \
  static void call_##name(int n) {                        \
    (void)n;                                              \
    MPI_##Name(UNWRAP arguments WORLD);                   \
  }                                                       \
  static void start_##name(int n, MPI_Request* request) { \
    (void)n;                                              \
    MPI_I##name(UNWRAP arguments WORLD, request);         \
  }
COLLECTIVES(DEFINE)

/** Average, least and greatest of a value over all ranks, at rank 0. */
static struct values over_ranks(double value) {
  struct values all = {0};
  MPI_Reduce(&value, &all.value, 1, MPI_DOUBLE, MPI_SUM, 0, WORLD);
  MPI_Reduce(&value, &all.least, 1, MPI_DOUBLE, MPI_MIN, 0, WORLD);
  MPI_Reduce(&value, &all.most, 1, MPI_DOUBLE, MPI_MAX, 0, WORLD);
  all.value /= ranks;
  return all;
}

static struct values blocking(void (*call)(int), int bytes) {
  double took = 0;
  for (int i = 0; i <= iterations; ++i) {
    barrier();
    const double begin = MPI_Wtime();
    call(bytes);
    if (i > 0) took += MPI_Wtime() - begin;
  }
  return over_ranks(took / iterations * 1e6);
}

/** Seconds that a collective takes from its start to its end, with as much computation in between. */
static double started(void (*start)(int, MPI_Request*), int bytes, double computes) {
  double took = 0;
  for (int i = 0; i <= iterations; ++i) {
    MPI_Request request;
    barrier();
    const double begin = MPI_Wtime();
    start(bytes, &request);
    if (computes > 0) {
      const long whole = (long)computes;
      nanosleep(&(struct timespec){.tv_sec = whole, .tv_nsec = (long)((computes - (double)whole) * 1e9)}, NULL);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (i > 0) took += MPI_Wtime() - begin;
  }
  return took / iterations;
}

/** Microseconds without computation, and how much of as long a computation costs nothing. */
static struct values nonblocking(void (*start)(int, MPI_Request*), int bytes) {
  double alone = started(start, bytes, 0), longest = 0;
  MPI_Allreduce(&alone, &longest, 1, MPI_DOUBLE, MPI_MAX, WORLD);
  const double together = started(start, bytes, longest);
  struct values all = over_ranks(alone * 1e6);
  all.together = over_ranks(together * 1e6).value;
  const double hidden = 1 - (together - longest) / longest;
  all.overlap = over_ranks(hidden < 0 ? 0 : hidden > 1 ? 100 : 100 * hidden).value;
  return all;
}

// ---------------------------------------------------------------- one-sided: rank 0 accesses a window of rank 1

static MPI_Win memory;

#define TARGET 1, 0
#define ONE_SIDED(DO)                                                                                       \
  DO(put, 1, 0, MPI_Put(sent, n, MPI_BYTE, TARGET, n, MPI_BYTE, memory))                                    \
  DO(get, 1, 0, MPI_Get(received, n, MPI_BYTE, TARGET, n, MPI_BYTE, memory))                                \
  DO(acc, 4, 0, MPI_Accumulate(sent, F, MPI_FLOAT, TARGET, F, MPI_FLOAT, MPI_SUM, memory))                  \
  DO(get_acc, 4, 0,                                                                                         \
     MPI_Get_accumulate(sent, F, MPI_FLOAT, received, F, MPI_FLOAT, TARGET, F, MPI_FLOAT, MPI_SUM, memory)) \
  DO(fop, 8, 8, MPI_Fetch_and_op(sent, received, MPI_INT64_T, TARGET, MPI_SUM, memory))                     \
  DO(cas, 8, 8, MPI_Compare_and_swap(sent, sent, received, MPI_INT64_T, TARGET, memory))

#define DEFINE_ACCESS(name, least, most, access) \
  static void access_##name(int n) {             \
    (void)n;                                     \
    access;                                      \
  }
ONE_SIDED(DEFINE_ACCESS)

/** Seconds until `times` accesses are complete. */
static double accesses(void (*access)(int), int bytes, int times) {
  void* base;
  MPI_Win_allocate(bytes < 8 ? 8 : bytes, 1, MPI_INFO_NULL, WORLD, &base, &memory);
  memset(base, 0, (size_t)(bytes < 8 ? 8 : bytes));
  MPI_Win_lock_all(0, memory);
  barrier();
  double took = 0;
  if (rank == 0) {
    for (int i = 0; i <= iterations; ++i) {
      const double begin = MPI_Wtime();
      for (int k = 0; k < times; ++k) access(bytes);
      MPI_Win_flush(1, memory);
      if (i > 0) took += MPI_Wtime() - begin;
    }
  }
  barrier();
  MPI_Win_unlock_all(memory);
  MPI_Win_free(&memory);
  return took / iterations;
}

static struct values access_latency(void (*access)(int), int bytes) {
  return (struct values){.value = accesses(access, bytes, 1) * 1e6};
}
static struct values access_bw(void (*access)(int), int bytes) {
  return (struct values){.value = (double)bytes * WINDOW / accesses(access, bytes, WINDOW) * 1e-6};
}

// ---------------------------------------------------------------- all of them

struct benchmark {
  const char *family, *name, *unit;
  int least, most;            /**< bytes; most is 0 for any, NOTHING for none */
  struct values (*pair)(int); /**< of point-to-point benchmarks */
  void (*call)(int);          /**< of collectives */
  void (*start)(int, MPI_Request*);
  void (*access)(int); /**< of one-sided benchmarks */
  bool rate;           /**< of accesses: the bandwidth of many */
};

#define PAIR(name_, unit_, least_) \
  {.family = "point-to-point", .name = #name_, .unit = unit_, .least = least_, .pair = name_},
#define CALL(name_, Name, least_, most_, arguments) \
  {.family = "collective", .name = #name_, .unit = "us", .least = least_, .most = most_, .call = call_##name_},
#define START(name_, Name, least_, most_, arguments) \
  {.family = "nonblocking collective",               \
   .name = "i" #name_,                               \
   .unit = "us",                                     \
   .least = least_,                                  \
   .most = most_,                                    \
   .start = start_##name_},
#define ACCESS(name_, least_, most_, access_call) \
  {.family = "one-sided",                         \
   .name = #name_ "_latency",                     \
   .unit = "us",                                  \
   .least = least_,                               \
   .most = most_,                                 \
   .access = access_##name_},
#define RATE(name_) \
  {.family = "one-sided", .name = #name_ "_bw", .unit = "MB/s", .least = 1, .access = access_##name_, .rate = true},

static const struct benchmark benchmarks[] = {PAIR(latency, "us", 0) PAIR(bw, "MB/s", 1) PAIR(bibw, "MB/s", 1) PAIR(
    mbw_mr, "1/s", 1) COLLECTIVES(CALL) COLLECTIVES(START) ONE_SIDED(ACCESS) RATE(put) RATE(get)};
static const int kinds = sizeof benchmarks / sizeof benchmarks[0];

/** A benchmark needs no blocks of other ranks. */
static bool has_one_block(const struct benchmark* benchmark) {
  static const char* const names[] = {"bcast", "reduce", "allreduce", "scan", "exscan"};
  const char* const name = benchmark->name + (benchmark->start != NULL);
  for (int i = 0; i < (int)(sizeof names / sizeof names[0]); ++i)
    if (strcmp(name, names[i]) == 0) return true;
  return benchmark->pair != NULL || benchmark->access != NULL;
}

static struct values measure(const struct benchmark* benchmark, int bytes) {
  if (benchmark->pair != NULL) return benchmark->pair(bytes);
  if (benchmark->call != NULL) return blocking(benchmark->call, bytes);
  if (benchmark->start != NULL) return nonblocking(benchmark->start, bytes);
  return (benchmark->rate ? access_bw : access_latency)(benchmark->access, bytes);
}

int main(int argc, char** argv) {
  if (argc == 1) {
    for (int i = 0; i < kinds; ++i)
      printf("%s,%s,%s,%d,%d\n", benchmarks[i].name, benchmarks[i].family, benchmarks[i].unit, benchmarks[i].least,
             benchmarks[i].most);
    return 0;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &ranks);
  check(argc == 5, "the arguments are NAME FIRST LAST ITERATIONS");
  const struct benchmark* benchmark = NULL;
  for (int i = 0; i < kinds; ++i)
    if (strcmp(benchmarks[i].name, argv[1]) == 0) benchmark = &benchmarks[i];
  check(benchmark != NULL, "there is no such benchmark");
  const int last = atoi(argv[3]);
  iterations = atoi(argv[4]);
  for (int bytes = atoi(argv[2]); bytes <= last; bytes = bytes == 0 ? 1 : 2 * bytes) {
    allocate(bytes, has_one_block(benchmark) ? 1 : ranks);
    const struct values found = measure(benchmark, bytes);
    if (rank == 0)
      printf("%d,%.9g,%.9g,%.9g,%.9g,%.9g\n", bytes, found.value, found.least, found.most, found.together,
             found.overlap);
    release();
    if (last == 0) break;
  }
  MPI_Finalize();
  return 0;
}
