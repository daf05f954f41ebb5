// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A window over memory of MPI_Alloc_mem, accessed from such memory and from other memory, in long pieces and short ones
// that begin and end anywhere, and by requests.
#include <string.h>

#include "program.h"

enum { BYTES = 100000, PIECES = 24 };

static unsigned char other_memory[BYTES];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  const int ranks = all_ranks();
  const int right = (rank + 1) % ranks;
  unsigned char* exposed;
  unsigned char* given;
  MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &exposed);
  MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &given);
  memset(exposed, 0, BYTES);
  MPI_Win win;
  MPI_Win_create(exposed, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (int i = 0; i < BYTES; ++i) given[i] = (unsigned char)(i * 7 + i / 256 + rank);
  memcpy(other_memory, given, BYTES);
  MPI_Win_fence(0, win);
  MPI_Put(given, BYTES / 2, MPI_BYTE, right, 0, BYTES / 2, MPI_BYTE, win);
  MPI_Put(other_memory + BYTES / 2, BYTES / 2, MPI_BYTE, right, BYTES / 2, BYTES / 2, MPI_BYTE, win);
  MPI_Win_fence(0, win);
  int wrong = 0;
  const int left = (rank + ranks - 1) % ranks;
  for (int i = 0; i < BYTES; ++i) wrong += exposed[i] != (unsigned char)(i * 7 + i / 256 + left);
  memset(given, 0, BYTES);
  memset(other_memory, 0, BYTES);
  MPI_Win_fence(0, win);
  MPI_Win_lock_all(0, win);

  uint64_t state = 12345;
  MPI_Request requests[2];
  for (int k = 0; k < PIECES; ++k) {
    const int bytes = 1 + (int)(next_random(&state) % (k % 4 == 0 ? BYTES / 2 : 50));
    const int at = (int)(next_random(&state) % (uint32_t)(BYTES - bytes));
    const int to = (int)(next_random(&state) % (uint32_t)(BYTES - bytes));
    MPI_Rget(given + to, bytes, MPI_BYTE, right, at, bytes, MPI_BYTE, win, &requests[0]);
    MPI_Rget(other_memory + to, bytes, MPI_BYTE, right, at, bytes, MPI_BYTE, win, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < bytes; ++i) {
      const unsigned char expected = (unsigned char)((at + i) * 7 + (at + i) / 256 + rank);
      wrong += given[to + i] != expected;
      wrong += other_memory[to + i] != expected;
    }
    wrong += to > 0 && memcmp(given, other_memory, BYTES) != 0;
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  // Bytes between those that others write stay as they are.
  memset(exposed, 255, BYTES);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
  for (int k = 0; k < PIECES; ++k) {
    for (int i = 0; i < k; ++i) given[64 * k + i] = (unsigned char)(rank + k + i);
    MPI_Rput(given + 64 * k, k, MPI_BYTE, right, 65 * k, k, MPI_BYTE, win, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock(right, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  for (int k = 0; k < PIECES; ++k) {
    for (int i = 0; i < 65; ++i) {
      wrong += exposed[65 * k + i] != (i < k ? (unsigned char)(left + k + i) : 255);
    }
  }
  MPI_Win_unlock(rank, win);
  say("%d\n", wrong);
  MPI_Win_free(&win);
  MPI_Free_mem(given);
  MPI_Free_mem(exposed);
  say_all();
  MPI_Finalize();
  return 0;
}
