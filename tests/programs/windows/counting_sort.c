// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A sort by counting: each rank asks the owner of a key for a place by fetch-and-add, and PUTs the key there.
#include "program.h"

enum { KEYS = 50, PER_OWNER = 100, ROOM = 17 * KEYS };

static int smaller(const void* one, const void* other) { return *(const int*)one - *(const int*)other; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  int* memory;  // a count, then keys
  MPI_Win win;
  MPI_Win_allocate((1 + ROOM) * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  memory[0] = 0;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  uint64_t state = (uint64_t)(1000 + rank);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < KEYS; ++i) {
    const int key = (int)(next_random(&state) % (uint32_t)(ranks * PER_OWNER)), owner = key / PER_OWNER, one = 1;
    int place;
    MPI_Fetch_and_op(&one, &place, MPI_INT, owner, 0, MPI_SUM, win);
    MPI_Win_flush(owner, win);
    MPI_Put(&key, 1, MPI_INT, owner, 1 + place, 1, MPI_INT, win);
    MPI_Win_flush(owner, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  const int count = memory[0];
  qsort(memory + 1, (size_t)count, sizeof(int), smaller);
  say("%d keys from %d to %d: %08x\n", count, count > 0 ? memory[1] : -1, count > 0 ? memory[count] : -1,
      checksum(memory + 1, (size_t)count * sizeof(int)));
  MPI_Win_unlock(rank, win);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
