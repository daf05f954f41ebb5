// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Threads access windows of other ranks at once: one window for all of them, and one for each.
#include "threads.h"

enum { THREADS = 3, SLOTS = 16, ROUNDS = 5 };

static MPI_Win shared;
static MPI_Win own[THREADS];

static void* body(void* argument) {
  struct worker* worker = argument;
  const int me = my_rank(), ranks = all_ranks();
  for (int round = 0; round < ROUNDS; ++round) {
    const int target = (me + round + worker->number) % ranks;
    const int one = 1, value = me * 100 + worker->number * 10 + round;
    MPI_Accumulate(&one, 1, MPI_INT, target, worker->number, 1, MPI_INT, MPI_SUM, shared);
    MPI_Win_flush(target, shared);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, own[worker->number]);
    MPI_Put(&value, 1, MPI_INT, target, me, 1, MPI_INT, own[worker->number]);
    MPI_Win_unlock(target, own[worker->number]);
  }
  return NULL;
}

int main(void) {
  init_for_threads();
  int* memory[THREADS + 1];
  MPI_Win_allocate(sizeof(int) * SLOTS, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory[THREADS], &shared);
  for (int i = 0; i < THREADS; ++i) {
    const MPI_Aint bytes = (MPI_Aint)sizeof(int) * all_ranks();
    MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory[i], &own[i]);
    memset(memory[i], 0, (size_t)bytes);
  }
  memset(memory[THREADS], 0, sizeof(int) * SLOTS);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, shared);
  struct worker workers[THREADS] = {0};
  run_threads(workers, THREADS, body);
  MPI_Win_unlock_all(shared);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < THREADS; ++i) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, my_rank(), 0, own[i]);
    say("rank %d window %d: %08x\n", my_rank(), i, checksum(memory[i], sizeof(int) * (size_t)all_ranks()));
    MPI_Win_unlock(my_rank(), own[i]);
  }
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, my_rank(), 0, shared);
  say("rank %d: %d %d %d\n", my_rank(), memory[THREADS][0], memory[THREADS][1], memory[THREADS][2]);
  MPI_Win_unlock(my_rank(), shared);
  for (int i = 0; i < THREADS; ++i) MPI_Win_free(&own[i]);
  MPI_Win_free(&shared);
  say_all();
  MPI_Finalize();
  return 0;
}
