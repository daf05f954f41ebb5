// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Bucket sort: counts by MPI_Alltoall, keys by MPI_Alltoallv, the order checked across ranks.
#include "program.h"

enum { KEYS = 40, RANGE = 1 << 16 };

static int ascending(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  uint64_t seed = (uint64_t)rank + 99;
  int keys[KEYS], send_counts[64] = {0}, send_offsets[64], receive_counts[64], receive_offsets[64];
  for (int i = 0; i < KEYS; ++i) keys[i] = (int)(next_random(&seed) % RANGE);
  qsort(keys, KEYS, sizeof(int), ascending);
  for (int i = 0; i < KEYS; ++i) send_counts[keys[i] * ranks / RANGE] += 1;
  MPI_Alltoall(send_counts, 1, MPI_INT, receive_counts, 1, MPI_INT, MPI_COMM_WORLD);
  int sent = 0, mine = 0;
  for (int r = 0; r < ranks; ++r) {
    send_offsets[r] = sent;
    receive_offsets[r] = mine;
    sent += send_counts[r];
    mine += receive_counts[r];
  }
  int* bucket = allocate((size_t)mine * sizeof(int));
  MPI_Alltoallv(keys, send_counts, send_offsets, MPI_INT, bucket, receive_counts, receive_offsets, MPI_INT,
                MPI_COMM_WORLD);
  qsort(bucket, (size_t)mine, sizeof(int), ascending);
  int before = 0;
  MPI_Scan(&mine, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  say("rank %d: keys %d to %d, lowest %d, highest %d, checksum %08x\n", rank, before - mine, before - 1,
      mine > 0 ? bucket[0] : -1, mine > 0 ? bucket[mine - 1] : -1,
      (unsigned)checksum(bucket, (size_t)mine * sizeof(int)));
  free(bucket);
  say_all();
  MPI_Finalize();
  return 0;
}
