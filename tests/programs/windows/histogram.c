// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A histogram that is spread over all ranks: every rank counts random values by accumulating to their owners.
#include "program.h"

enum { BINS = 10, VALUES = 200 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  long bins[BINS] = {0}, one[1] = {1};
  MPI_Win win;
  MPI_Win_create(bins, sizeof bins, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  uint64_t state = (uint64_t)rank + 31;
  MPI_Win_fence(0, win);
  for (int i = 0; i < VALUES; ++i) {
    const int value = (int)(next_random(&state) % (uint32_t)(BINS * ranks));
    MPI_Accumulate(one, 1, MPI_LONG, value / BINS, value % BINS, 1, MPI_LONG, MPI_SUM, win);
  }
  MPI_Win_fence(0, win);
  long sum = 0;
  for (int i = 0; i < BINS; ++i) {
    sum += bins[i];
    say(" %ld", bins[i]);
  }
  long total;
  MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  say(", %d\n", total == (long)VALUES * ranks);
  MPI_Win_free(&win);
  say_all();
  MPI_Finalize();
  return 0;
}
