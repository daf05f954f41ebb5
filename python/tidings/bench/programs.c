/* Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0 */
/* What users' programs do, in few lines each, for measurements of wall time. Usage: programs PATTERN TIMES. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  WORDS = 8192,        /* most doubles of an allreduce: 64 KiB */
  BLOCK_BYTES = 64,    /* of the all-to-all, to each rank */
  GATHERED = 22125000, /* doubles that the allgather collects: 177 MB */
  KEYS = 4096,         /* of the sort, on each rank */
  KEY_RANGE = 1 << 19, /* as of class S of the integer sort of NPB, times 256 */
  CLUSTERS = 10,       /* of the clustering */
  PIXELS = 64,         /* of its points */
  EDGE = 64,           /* doubles of an edge of the field */
};

static int rank, ranks;

static void* allocate(size_t bytes) {
  void* memory = calloc(bytes, 1);
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  return memory;
}

static void nothing(int times) { (void)times; }

static void barrier(int times) {
  for (int i = 0; i < times; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

static void round_trip(int times) {
  char text[8] = "tidings";
  for (int i = 0; i < times && rank < 2; ++i) {
    if (rank == 0) MPI_Send(text, sizeof text, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(text, sizeof text, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(text, sizeof text, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
}

static void alltoall(int times) {
  char* from = allocate((size_t)ranks * BLOCK_BYTES);
  char* to = allocate((size_t)ranks * BLOCK_BYTES);
  for (int i = 0; i < times; ++i) MPI_Alltoall(from, BLOCK_BYTES, MPI_CHAR, to, BLOCK_BYTES, MPI_CHAR, MPI_COMM_WORLD);
  free(from);
  free(to);
}

/* All powers of two from 8 bytes to 64 KiB. */
static void allreduce(int times) {
  static double from[WORDS], to[WORDS];
  for (int count = 1; count <= WORDS; count *= 2)
    for (int i = 0; i < times; ++i) MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allgather(int times) {
  const int count = GATHERED / ranks;
  double* from = allocate((size_t)count * sizeof *from);
  double* to = allocate((size_t)count * (size_t)ranks * sizeof *to);
  for (int i = 0; i < times; ++i) MPI_Allgather(from, count, MPI_DOUBLE, to, count, MPI_DOUBLE, MPI_COMM_WORLD);
  free(from);
  free(to);
}

/* As the integer sort of the NAS Parallel Benchmarks does it: each rank gets the keys of a range of its own. */
static void sort(int times) {
  int* keys = allocate(KEYS * sizeof *keys);
  int* ordered = allocate(KEYS * sizeof *ordered);
  int* counts = allocate((size_t)ranks * 4 * sizeof *counts);
  int *offsets = counts + ranks, *their_counts = offsets + ranks, *their_offsets = their_counts + ranks;
  uint64_t random = (uint64_t)rank * 2 + 1;
  for (int i = 0; i < KEYS; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    keys[i] = (int)(random >> 45) % KEY_RANGE;
  }
  for (int i = 0; i < times; ++i) {
    memset(counts, 0, (size_t)ranks * sizeof *counts);
    for (int k = 0; k < KEYS; ++k) ++counts[(int64_t)keys[k] * ranks / KEY_RANGE];
    int total = 0, mine = 0;
    for (int r = 0; r < ranks; ++r) {
      offsets[r] = total;
      total += counts[r];
    }
    MPI_Allreduce(counts, their_counts, ranks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(counts, 1, MPI_INT, their_counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < KEYS; ++k) ordered[offsets[(int64_t)keys[k] * ranks / KEY_RANGE]++] = keys[k];
    for (int r = 0; r < ranks; ++r) {
      offsets[r] -= counts[r];
      their_offsets[r] = mine;
      mine += their_counts[r];
    }
    int* received = allocate((size_t)mine * sizeof *received);
    MPI_Alltoallv(ordered, counts, offsets, MPI_INT, received, their_counts, their_offsets, MPI_INT, MPI_COMM_WORLD);
    free(received);
  }
  free(keys);
  free(ordered);
  free(counts);
}

/* What the k-means example communicates in each step: sums of clusters, and their sizes with the points that moved. */
static void clustering(int times) {
  static double sums[CLUSTERS * PIXELS];
  int64_t totals[CLUSTERS + 2] = {0};
  MPI_Bcast(sums, CLUSTERS * PIXELS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < times; ++i) {
    MPI_Allreduce(MPI_IN_PLACE, sums, CLUSTERS * PIXELS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, totals, CLUSTERS + 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  }
}

/* A field in two dimensions: edges to four neighbours in each step, a sum in every fourth. */
static void halo(int times) {
  static double from[4][EDGE], to[4][EDGE];
  const int wraps[2] = {1, 1};
  int sizes[2] = {0, 0}, neighbours[4];
  double change = 1, sum;
  MPI_Comm grid;
  MPI_Dims_create(ranks, 2, sizes);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, wraps, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &neighbours[0], &neighbours[1]);
  MPI_Cart_shift(grid, 1, 1, &neighbours[2], &neighbours[3]);
  for (int i = 0; i < times; ++i) {
    MPI_Request requests[8];
    for (int d = 0; d < 4; ++d) MPI_Irecv(to[d], EDGE, MPI_DOUBLE, neighbours[d], d ^ 1, grid, &requests[d]);
    for (int d = 0; d < 4; ++d) MPI_Isend(from[d], EDGE, MPI_DOUBLE, neighbours[d], d, grid, &requests[4 + d]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    if (i % 4 == 3) MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  MPI_Comm_free(&grid);
}

/* Memory of this process that belongs to no file on disk, in KiB: its own, and what it shares with the simulator. */
static void memory(int times) {
  alltoall(times);
  FILE* status = fopen("/proc/self/status", "r");
  char line[128];
  long total = 0, part = 0;
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (sscanf(line, "RssAnon: %ld", &part) == 1 || sscanf(line, "RssShmem: %ld", &part) == 1) total += part;
  if (status != NULL) fclose(status);
  if (rank == 0) printf("%ld\n", total);
}

static const struct {
  const char* name;
  void (*run)(int times);
} patterns[] = {
    {"start", nothing},     {"barrier", barrier},       {"round-trip", round_trip},
    {"alltoall", alltoall}, {"allreduce", allreduce},   {"allgather", allgather},
    {"sort", sort},         {"clustering", clustering}, {"halo", halo},
    {"memory", memory},
};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (size_t i = 0; argc == 3 && i < sizeof patterns / sizeof patterns[0]; ++i)
    if (strcmp(argv[1], patterns[i].name) == 0) patterns[i].run(atoi(argv[2]));
  MPI_Finalize();
  return 0;
}
