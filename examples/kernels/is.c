// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

/**
 * @file is.c
 * IS: integers are sorted by buckets.
 *
 * Every rank holds its share of `keys` integers in [0, range), each the mean of four random numbers, so that the middle
 * is crowded. A round counts the keys of each bucket, adds the counts of all ranks (MPI_Allreduce), gives every rank
 * neighbouring buckets with about as many keys as the others have, tells how many keys go where (MPI_Alltoall), sends
 * them (MPI_Alltoallv), and each rank counts its own.
 *
 * Ranks: any number. Verification: a checksum of the sorted sequence, exact. It is verified that keys rise within and
 * across ranks, that none is lost, and that the sums of the keys and of a hash of them are as they were.
 */
#include "kernel.h"

enum { KEYS, RANGE, BUCKETS, ROUNDS, PARAMETERS };

static const struct parameter parameters[PARAMETERS] = {
    {"keys", "keys of all ranks together", 2048, 65536, 1, 1 << 28},
    {"range", "keys are below this", 512, 8192, 1, 1 << 24},
    {"buckets", "buckets, at most as many as values", 64, 256, 1, 1 << 16},
    {"rounds", "times that the keys are sorted", 2, 5, 1, 1000},
};

/** Keys of a rank, in any order or sorted. */
struct keys {
  int count;
  int32_t* values;
};

static struct keys draw_keys(const struct kernel* kernel, const int* values) {
  const int first = first_of(values[KEYS], kernel->rank, kernel->ranks);
  struct keys keys = {.count = first_of(values[KEYS], kernel->rank + 1, kernel->ranks) - first};
  keys.values = kernel_allocate((size_t)keys.count, sizeof *keys.values);
  for (int i = 0; i < keys.count; ++i) {
    double sum = 0;
    for (int part = 0; part < 4; ++part) sum += random_unit(1, 4 * (uint64_t)(first + i) + (uint64_t)part);
    keys.values[i] = (int32_t)(sum / 4 * values[RANGE]);
  }
  return keys;
}

static int bucket_of(int32_t key, const int* values) { return (int)((int64_t)key * values[BUCKETS] / values[RANGE]); }

/** The least key that a bucket, or one after the last, can hold. */
static int32_t least_of(int bucket, const int* values) {
  return (int32_t)(((int64_t)bucket * values[RANGE] + values[BUCKETS] - 1) / values[BUCKETS]);
}

/** Give each rank neighbouring buckets. @param[out] first  bucket of each rank, and one after the last */
static void share_buckets(const int32_t* sizes, const int* values, int ranks, int* first) {
  int bucket = 0;
  int64_t given = 0;
  for (int r = 0; r < ranks; ++r) {
    first[r] = bucket;
    const int64_t wanted = (int64_t)values[KEYS] * (r + 1) / ranks;
    while (bucket < values[BUCKETS] && (r == ranks - 1 || given < wanted)) given += sizes[bucket++];
  }
  first[ranks] = bucket;
}

/** Sort all keys once. @return the sorted keys of this rank, in memory of their own */
static struct keys sort(const struct kernel* kernel, const int* values, const struct keys* keys) {
  const size_t ranks = (size_t)kernel->ranks;
  const size_t buckets = (size_t)values[BUCKETS];
  int32_t* sizes = kernel_allocate(buckets, sizeof *sizes);
  int* at = kernel_allocate(buckets, sizeof *at);
  for (int i = 0; i < keys->count; ++i) at[bucket_of(keys->values[i], values)] += 1;
  kernel_work(kernel, keys->count);
  MPI_Allreduce(at, sizes, values[BUCKETS], MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
  int* first = kernel_allocate(ranks + 1, sizeof *first);
  share_buckets(sizes, values, kernel->ranks, first);

  // Keys to send, bucket by bucket and so rank by rank.
  int* counts = kernel_allocate(4 * ranks, sizeof *counts);
  int *send_at = counts + ranks, *incoming = counts + 2 * ranks, *receive_at = counts + 3 * ranks;
  for (int r = 0, sum = 0; r < kernel->ranks; ++r) {
    send_at[r] = sum;
    for (int b = first[r]; b < first[r + 1]; ++b) {
      const int here = at[b];
      at[b] = sum;
      sum += here;
    }
    counts[r] = sum - send_at[r];
  }
  int32_t* ordered = kernel_allocate((size_t)keys->count, sizeof *ordered);
  for (int i = 0; i < keys->count; ++i) ordered[at[bucket_of(keys->values[i], values)]++] = keys->values[i];
  kernel_work(kernel, values[BUCKETS] + keys->count);

  MPI_Alltoall(counts, 1, MPI_INT, incoming, 1, MPI_INT, MPI_COMM_WORLD);
  struct keys sorted = {0};
  for (int r = 0; r < kernel->ranks; ++r) {
    receive_at[r] = sorted.count;
    sorted.count += incoming[r];
  }
  int32_t* received = kernel_allocate((size_t)sorted.count, sizeof *received);
  MPI_Alltoallv(ordered, counts, send_at, MPI_INT32_T, received, incoming, receive_at, MPI_INT32_T, MPI_COMM_WORLD);

  const int32_t least = least_of(first[kernel->rank], values);
  const int32_t width = least_of(first[kernel->rank + 1], values) - least;
  int* found = kernel_allocate((size_t)width, sizeof *found);
  for (int i = 0; i < sorted.count; ++i) {
    const int32_t place = received[i] - least;
    if (place < 0 || place >= width) kernel_fail("is: a key came to a rank that has not its bucket");
    found[place] += 1;
  }
  sorted.values = kernel_allocate((size_t)sorted.count, sizeof *sorted.values);
  for (int32_t key = 0, i = 0; key < width; ++key) {
    for (int n = 0; n < found[key]; ++n) sorted.values[i++] = least + key;
  }
  kernel_work(kernel, 2 * sorted.count + width);
  free(found);
  free(received);
  free(ordered);
  free(counts);
  free(first);
  free(at);
  free(sizes);
  return sorted;
}

/** What must be zero for keys to be sorted, and the checksum; known to rank 0. */
struct findings {
  int64_t descents;
  int64_t count;
  int64_t sum;
  int64_t hashes;
  int64_t checksum;
};

static struct findings examine(const struct keys* keys, const struct keys* sorted) {
  int32_t greatest = -1, before = -1;
  int64_t place = sorted->count, offset = 0;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (sorted->count > 0) greatest = sorted->values[sorted->count - 1];
  MPI_Exscan(&greatest, &before, 1, MPI_INT32_T, MPI_MAX, MPI_COMM_WORLD);
  MPI_Exscan(&place, &offset, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {  // MPI leaves what an exclusive scan gives to rank 0 undefined
    before = -1;
    offset = 0;
  }
  uint64_t sum = 0, hashes = 0, checksum = 0;  // unsigned: they may overflow
  struct findings local = {.count = sorted->count - keys->count};
  for (int i = 0; i < sorted->count; ++i) {
    local.descents += sorted->values[i] < (i == 0 ? before : sorted->values[i - 1]);
    sum += (uint64_t)sorted->values[i];
    hashes += random_bits(2, (uint64_t)sorted->values[i]) >> 24;
    checksum += (random_bits(3, (uint64_t)(offset + i)) >> 40) * (uint64_t)sorted->values[i] % 1000003;
  }
  for (int i = 0; i < keys->count; ++i) {
    sum -= (uint64_t)keys->values[i];
    hashes -= random_bits(2, (uint64_t)keys->values[i]) >> 24;
  }
  local.sum = (int64_t)sum;
  local.hashes = (int64_t)hashes;
  local.checksum = (int64_t)checksum;
  struct findings all = {0};
  MPI_Reduce(&local, &all, (int)(sizeof local / sizeof local.sum), MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char** argv) {
  int values[PARAMETERS];
  struct kernel kernel = kernel_start("is", argc, argv, parameters, PARAMETERS, values);
  if (values[BUCKETS] > values[RANGE]) values[BUCKETS] = values[RANGE];
  struct keys keys = draw_keys(&kernel, values);
  struct keys sorted = {0};
  kernel_begin(&kernel);
  for (int round = 0; round < values[ROUNDS]; ++round) {
    free(sorted.values);
    sorted = sort(&kernel, values, &keys);
  }
  kernel_end(&kernel);
  const struct findings found = examine(&keys, &sorted);
  char value[32];
  snprintf(value, sizeof value, "%" PRId64, found.checksum);
  free(sorted.values);
  free(keys.values);
  return kernel_report(&kernel, value, (found.descents | found.count | found.sum | found.hashes) == 0);
}
