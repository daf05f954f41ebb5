// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Memory is attached to one window again and again, more often than there are names for it at a time.
#include "program.h"

enum { ROUNDS = 20, WORDS = 64 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  static uint32_t memory[ROUNDS][WORDS];
  for (int round = 0; round < ROUNDS; ++round) {
    uint32_t* const part = memory[round];
    const int words = 1 + round * 3;
    MPI_Win_attach(win, part, (MPI_Aint)((size_t)words * sizeof *part));
    MPI_Aint place, there;
    MPI_Get_address(part, &place);
    MPI_Sendrecv(&place, 1, MPI_AINT, left, 0, &there, 1, MPI_AINT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    uint32_t given[WORDS];
    fill(given, sizeof given, (uint64_t)(round * 100 + rank));
    MPI_Win_fence(0, win);
    MPI_Put(given, words, MPI_UINT32_T, right, there, words, MPI_UINT32_T, win);
    MPI_Win_fence(0, win);
    uint32_t expected[WORDS];
    fill(expected, sizeof expected, (uint64_t)(round * 100 + left));
    if (memcmp(part, expected, (size_t)words * sizeof *part) != 0) say("round %d differs\n", round);
    MPI_Win_detach(win, part);
  }
  say("%08x\n", checksum(memory, sizeof memory));
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
