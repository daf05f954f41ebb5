// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A distributed hash table: keys are claimed by compare-and-swap in the memory of the rank that owns their place.
#include "program.h"

enum { PLACES = 64, KEYS = 16 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int64_t* table;  // keys, then values
  MPI_Win win;
  MPI_Win_allocate(2 * PLACES * sizeof(int64_t), sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &table, &win);
  memset(table, 0, 2 * PLACES * sizeof(int64_t));
  MPI_Barrier(MPI_COMM_WORLD);
  const int64_t empty = 0;
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < KEYS; ++i) {
    const int64_t key = 1 + rank * KEYS / 2 + i, value = key * key;  // half of the keys are also another rank's
    const uint64_t hash = (uint64_t)key * 0x9e3779b97f4a7c15u >> 20;
    for (uint64_t step = 0;; ++step) {
      const uint64_t place = (hash + step) % (uint64_t)(PLACES * ranks);
      const int owner = (int)(place / PLACES);
      const MPI_Aint at = (MPI_Aint)(place % PLACES);
      int64_t before;
      MPI_Compare_and_swap(&key, &empty, &before, MPI_INT64_T, owner, at, win);
      MPI_Win_flush(owner, win);
      if (before != empty && before != key) continue;
      MPI_Accumulate(&value, 1, MPI_INT64_T, owner, at + PLACES, 1, MPI_INT64_T, MPI_SUM, win);
      MPI_Win_flush_local(owner, win);
      break;
    }
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  int64_t mine[3] = {0, 0, 0}, all[3];
  for (int i = 0; i < PLACES; ++i) mine[0] += table[i] != 0, mine[1] += table[i], mine[2] += table[PLACES + i];
  MPI_Win_unlock(rank, win);
  MPI_Allreduce(mine, all, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  say("%lld keys, sum %lld, values %lld\n", (long long)all[0], (long long)all[1], (long long)all[2]);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
