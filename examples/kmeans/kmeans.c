// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

/**
 * @file kmeans.c
 * k-means clustering (Lloyd's algorithm) in C with MPI.
 *
 * Rank 0 reads the points and scatters them. In each iteration every rank assigns its points to the nearest
 * centroid, and one allreduce adds up the sums that give the next centroids. It ends when no point changes
 * its cluster.
 *
 * Centroids are fixed-point numbers with FRACTION_BITS binary digits, so that all arithmetic is exact and the
 * result does not depend on the number of ranks or on the order in which a reduction adds.
 */
#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  FRACTION_BITS = 8,
  ONE = 1 << FRACTION_BITS,
  MAX_FEATURES = 1024,
  MAX_VALUE = 1000,  // of a feature in the file: keeps every sum below 2^53, where doubles are exact
  MAX_POINTS = 1000000,
  MAX_CLUSTERS = 256,
  CLASSES = 10,
  LINE_BYTES = 8192,
};

struct options {
  const char* input;
  const char* output;
  int clusters;
  int max_iterations;
  uint64_t seed;
  bool show_time;
};

/** Points with one class each; `values` has `count * features` entries. */
struct points {
  int count;
  int features;
  int32_t* values;
  int32_t* classes;
};

struct result {
  int iterations;
  bool converged;
  int64_t inertia;  // in units of ONE * ONE
  int64_t* sizes;
};

/** Report an error that every user can act on and end all ranks. */
static _Noreturn void fail(const char* what, const char* detail) {
  fprintf(stderr, "kmeans: %s: %s\n", what, detail);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  exit(EXIT_FAILURE);  // MPI_Abort does not return; the compiler cannot know
}

static void* allocate(size_t count, size_t size) {
  void* memory = calloc(count == 0 ? 1 : count, size);
  if (memory == NULL) fail("out of memory", strerror(errno));
  return memory;
}

// ---------------------------------------------------------------------------------------------- arguments

static const char usage_text[] =
    "usage: kmeans FILE [--clusters K] [--iterations N] [--seed S] [--output FILE] [--time]\n"
    "  FILE            one point a line: integer features, then the integer class, separated by commas\n"
    "  --clusters K    clusters to find (10)\n"
    "  --iterations N  stop after N iterations at the latest (100)\n"
    "  --seed S        chooses the points that the centroids start at (1)\n"
    "  --output FILE   write the centroids, one a line\n"
    "  --time          print the elapsed time of the clustering\n";

/** Parse an integer in [low, high]. */
static bool parse_integer(const char* text, int64_t low, int64_t high, int64_t* value) {
  char* end = NULL;
  errno = 0;
  const long long parsed = strtoll(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || parsed < low || parsed > high) return false;
  *value = parsed;
  return true;
}

/** The same on every rank. @return NULL, or what is wrong. */
static const char* parse_options(int argc, char** argv, struct options* options) {
  *options = (struct options){.clusters = 10, .max_iterations = 100, .seed = 1};
  for (int i = 1; i < argc; ++i) {
    const char* name = argv[i];
    if (strcmp(name, "--time") == 0) {
      options->show_time = true;
      continue;
    }
    if (strncmp(name, "--", 2) != 0) {
      if (options->input != NULL) return "more than one input file";
      options->input = name;
      continue;
    }
    if (i + 1 == argc) return "an option without its value, or an unknown option";
    const char* text = argv[++i];
    int64_t value = 0;
    if (strcmp(name, "--output") == 0) {
      options->output = text;
    } else if (strcmp(name, "--clusters") == 0) {
      if (!parse_integer(text, 1, MAX_CLUSTERS, &value)) return "--clusters takes an integer from 1 to 256";
      options->clusters = (int)value;
    } else if (strcmp(name, "--iterations") == 0) {
      if (!parse_integer(text, 1, INT32_MAX, &value)) return "--iterations takes a positive integer";
      options->max_iterations = (int)value;
    } else if (strcmp(name, "--seed") == 0) {
      if (!parse_integer(text, 0, INT64_MAX, &value)) return "--seed takes an integer that is not negative";
      options->seed = (uint64_t)value;
    } else {
      return "unknown option";
    }
  }
  return options->input == NULL ? "no input file" : NULL;
}

// ---------------------------------------------------------------------------------------------- input

/** Split a line into integers. @return how many, or -1 where the line is malformed. */
static int parse_line(const char* line, int32_t* numbers, int capacity) {
  int count = 0;
  for (const char* at = line;;) {
    char* end = NULL;
    errno = 0;
    const long value = strtol(at, &end, 10);
    if (errno != 0 || end == at || value < 0 || value > MAX_VALUE || count == capacity) return -1;
    numbers[count++] = (int32_t)value;
    if (*end == '\0') return count;
    if (*end != ',') return -1;
    at = end + 1;
  }
}

static struct points read_points(const char* path) {
  FILE* file = fopen(path, "r");
  if (file == NULL) fail(path, strerror(errno));
  struct points points = {0};
  int capacity = 0;
  char line[LINE_BYTES];
  int32_t numbers[MAX_FEATURES + 1];
  char where[64];
  while (fgets(line, sizeof line, file) != NULL) {
    snprintf(where, sizeof where, "line %d is malformed", points.count + 1);
    line[strcspn(line, "\r\n")] = '\0';
    const int numbers_on_line = parse_line(line, numbers, MAX_FEATURES + 1);
    if (points.count == 0) points.features = numbers_on_line - 1;
    if (numbers_on_line < 2 || numbers_on_line != points.features + 1) fail(path, where);
    const int32_t point_class = numbers[points.features];
    if (point_class >= CLASSES) fail(path, where);
    if (points.count == MAX_POINTS) fail(path, "too many points");
    if (points.count == capacity) {
      capacity = capacity == 0 ? 1024 : 2 * capacity;
      points.values = realloc(points.values, (size_t)capacity * (size_t)points.features * sizeof *points.values);
      points.classes = realloc(points.classes, (size_t)capacity * sizeof *points.classes);
      if (points.values == NULL || points.classes == NULL) fail("out of memory", path);
    }
    memcpy(points.values + (size_t)points.count * (size_t)points.features, numbers,
           (size_t)points.features * sizeof *numbers);
    points.classes[points.count++] = point_class;
  }
  const bool unreadable = ferror(file) != 0;
  fclose(file);
  if (unreadable) fail(path, "cannot be read");
  return points;
}

/** SplitMix64: a small generator whose sequence is the same everywhere. */
static uint64_t next_random(uint64_t* state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/** Start each centroid at another point, drawn by `seed`. */
static void choose_centroids(const struct points* points, int clusters, uint64_t seed, int32_t* centroids) {
  bool* taken = allocate((size_t)points->count, sizeof *taken);
  for (int c = 0; c < clusters; ++c) {
    size_t drawn;
    do {
      drawn = next_random(&seed) % (uint64_t)points->count;
    } while (taken[drawn]);
    taken[drawn] = true;
    for (int f = 0; f < points->features; ++f) {
      centroids[c * points->features + f] = points->values[drawn * (size_t)points->features + (size_t)f] * ONE;
    }
  }
  free(taken);
}

/** Points of a rank when `count` are shared out as evenly as can be; the first ranks hold one more. */
static int share_of(int count, int rank, int ranks) { return count / ranks + (rank < count % ranks ? 1 : 0); }

/** Hand each rank its share of the points that rank 0 has read. */
static struct points scatter_points(const struct points* all, int total, int features) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int* counts = allocate((size_t)ranks, sizeof *counts);
  int* offsets = allocate((size_t)ranks, sizeof *offsets);
  for (int r = 0, at = 0; r < ranks; ++r) {
    counts[r] = share_of(total, r, ranks);
    offsets[r] = at;
    at += counts[r];
  }
  struct points mine = {.count = counts[rank], .features = features};
  mine.values = allocate((size_t)mine.count * (size_t)features, sizeof *mine.values);
  mine.classes = allocate((size_t)mine.count, sizeof *mine.classes);

  MPI_Datatype point;
  MPI_Type_contiguous(features, MPI_INT32_T, &point);
  MPI_Type_commit(&point);
  MPI_Scatterv(all->values, counts, offsets, point, mine.values, mine.count, point, 0, MPI_COMM_WORLD);
  MPI_Type_free(&point);
  MPI_Scatterv(all->classes, counts, offsets, MPI_INT32_T, mine.classes, mine.count, MPI_INT32_T, 0, MPI_COMM_WORLD);
  free(offsets);
  free(counts);
  return mine;
}

// ---------------------------------------------------------------------------------------------- clustering

/** Nearest centroid of a point, the lowest of equals. @param[out] distance squared, in units of ONE * ONE */
static int nearest(const int32_t* point, const int32_t* centroids, int clusters, int features, int64_t* distance) {
  int best = 0;
  *distance = INT64_MAX;
  for (int c = 0; c < clusters; ++c) {
    const int32_t* centroid = centroids + c * features;
    int64_t sum = 0;
    for (int f = 0; f < features; ++f) {
      const int64_t difference = point[f] * ONE - centroid[f];
      sum += difference * difference;
    }
    if (sum < *distance) {
      *distance = sum;
      best = c;
    }
  }
  return best;
}

/** Lloyd's iterations; `centroids` and `assignment` hold the outcome. */
static struct result cluster(const struct points* mine, int clusters, int max_iterations, int32_t* centroids,
                             int32_t* assignment) {
  const int features = mine->features;
  const int sums_count = clusters * features;
  double* sums = allocate((size_t)sums_count, sizeof *sums);
  enum { MOVED, INERTIA, SIZES };  // what `totals` holds: two numbers, then the size of each cluster
  const int totals_count = SIZES + clusters;
  int64_t* totals = allocate((size_t)totals_count, sizeof *totals);
  struct result result = {.sizes = allocate((size_t)clusters, sizeof *result.sizes)};
  for (int p = 0; p < mine->count; ++p) assignment[p] = -1;

  while (result.iterations < max_iterations && !result.converged) {
    memset(sums, 0, (size_t)sums_count * sizeof *sums);
    memset(totals, 0, (size_t)totals_count * sizeof *totals);
    for (int p = 0; p < mine->count; ++p) {
      const int32_t* point = mine->values + p * features;
      int64_t distance;
      const int c = nearest(point, centroids, clusters, features, &distance);
      totals[MOVED] += assignment[p] != c;
      totals[INERTIA] += distance;
      totals[SIZES + c] += 1;
      assignment[p] = c;
      for (int f = 0; f < features; ++f) sums[c * features + f] += point[f];
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, sums_count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, totals, totals_count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);

    for (int c = 0; c < clusters; ++c) {
      const int64_t size = totals[SIZES + c];
      if (size == 0) continue;  // an empty cluster stays where it is
      for (int f = 0; f < features; ++f) {
        const int64_t sum = (int64_t)sums[c * features + f];
        centroids[c * features + f] = (int32_t)((2 * ONE * sum + size) / (2 * size));  // rounded half up
      }
    }
    result.iterations += 1;
    result.converged = totals[MOVED] == 0;
    result.inertia = totals[INERTIA];
    memcpy(result.sizes, totals + SIZES, (size_t)clusters * sizeof *result.sizes);
  }
  free(totals);
  free(sums);
  return result;
}

/** Points whose class is the commonest one of their cluster; known to rank 0. */
static int64_t count_agreeing(const struct points* mine, const int32_t* assignment, int clusters) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int cells = clusters * CLASSES;
  int32_t* table = allocate((size_t)cells, sizeof *table);
  int32_t* sum = allocate((size_t)cells, sizeof *sum);
  for (int p = 0; p < mine->count; ++p) table[assignment[p] * CLASSES + mine->classes[p]] += 1;
  MPI_Reduce(table, sum, cells, MPI_INT32_T, MPI_SUM, 0, MPI_COMM_WORLD);
  int64_t agreeing = 0;
  for (int c = 0; c < clusters; ++c) {
    int32_t most = 0;
    for (int k = 0; k < CLASSES; ++k) most = sum[c * CLASSES + k] > most ? sum[c * CLASSES + k] : most;
    agreeing += most;
  }
  free(sum);
  free(table);
  return agreeing;
}

// ---------------------------------------------------------------------------------------------- output

/** FNV-1a over the centroids' numbers. */
static uint64_t checksum(const int32_t* numbers, int count) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (int i = 0; i < count; ++i) hash = (hash ^ (uint64_t)numbers[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static void write_centroids(const char* path, const int32_t* centroids, int clusters, int features) {
  FILE* file = fopen(path, "w");
  if (file == NULL) fail(path, strerror(errno));
  for (int c = 0; c < clusters; ++c) {
    for (int f = 0; f < features; ++f) {
      fprintf(file, "%s%.*f", f == 0 ? "" : ",", FRACTION_BITS, (double)centroids[c * features + f] / ONE);
    }
    fputc('\n', file);
  }
  if (fclose(file) != 0) fail(path, strerror(errno));
}

static void print_result(const struct result* result, int clusters, int points, int64_t agreeing, uint64_t sum) {
  printf("iterations  %d%s\n", result->iterations, result->converged ? "" : " (not converged)");
  printf("inertia     %.4f\n", (double)result->inertia / ((double)ONE * ONE));
  printf("sizes      ");
  for (int c = 0; c < clusters; ++c) printf(" %" PRId64, result->sizes[c]);
  printf("\nagreement   %.2f %% of the points have the class of their cluster\n",
         100.0 * (double)agreeing / (double)points);
  printf("centroids   %016" PRIx64 "\n", sum);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  struct options options;
  const char* complaint = parse_options(argc, argv, &options);
  if (complaint != NULL) {
    if (rank == 0) fprintf(stderr, "kmeans: %s\n%s", complaint, usage_text);
    MPI_Finalize();
    return EXIT_FAILURE;
  }

  struct points all = {0};
  if (rank == 0) {
    all = read_points(options.input);
    if (all.count < options.clusters) fail(options.input, "fewer points than clusters");
  }
  int shape[2] = {all.count, all.features};
  MPI_Bcast(shape, 2, MPI_INT, 0, MPI_COMM_WORLD);
  const int features = shape[1];
  int32_t* centroids = allocate((size_t)options.clusters * (size_t)features, sizeof *centroids);
  if (rank == 0) choose_centroids(&all, options.clusters, options.seed, centroids);
  MPI_Bcast(centroids, options.clusters * features, MPI_INT32_T, 0, MPI_COMM_WORLD);
  struct points mine = scatter_points(&all, shape[0], features);
  int32_t* assignment = allocate((size_t)mine.count, sizeof *assignment);

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  struct result result = cluster(&mine, options.clusters, options.max_iterations, centroids, assignment);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;

  const int64_t agreeing = count_agreeing(&mine, assignment, options.clusters);
  if (rank == 0) {
    print_result(&result, options.clusters, shape[0], agreeing, checksum(centroids, options.clusters * features));
    if (options.show_time) printf("time        %.6f s\n", seconds);
    if (options.output != NULL) write_centroids(options.output, centroids, options.clusters, features);
  }

  free(result.sizes);
  free(assignment);
  free(mine.classes);
  free(mine.values);
  free(centroids);
  free(all.classes);
  free(all.values);
  MPI_Finalize();
  return EXIT_SUCCESS;
}
