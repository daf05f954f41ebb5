// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// Clocks: MPI_Wtime never goes back and has a resolution, sleeping shows, and the clocks of the system agree with it.
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static double monotonic(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_of_day(void) {
  struct timeval now;
  gettimeofday(&now, NULL);
  return (double)now.tv_sec + 1e-6 * (double)now.tv_usec;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank();
  bool rising = true;
  double before = MPI_Wtime();
  for (int i = 0; i < 20; ++i) {
    const double now = MPI_Wtime();
    rising = rising && now >= before;
    before = now;
  }
  const double tick = MPI_Wtick();
  say("rank %d: rising %d, tick sensible %d\n", rank, rising, tick > 0 && tick <= 1e-3);

  // Each interval holds the next one, so whatever else the computer does in between, none may be shorter.
  const double wtime = MPI_Wtime(), clock = monotonic(), day = time_of_day(), inner = MPI_Wtime();
  const struct timespec pause = {.tv_nsec = 20000000};
  nanosleep(&pause, NULL);
  usleep(10000);
  const double inner_slept = MPI_Wtime() - inner, day_slept = time_of_day() - day, clock_slept = monotonic() - clock;
  const double slept = MPI_Wtime() - wtime, rounding = 1e-4;
  say("rank %d: slept long enough %d, clocks agree %d\n", rank, inner_slept >= 0.03,
      slept >= clock_slept - rounding && clock_slept >= day_slept - rounding && day_slept >= inner_slept - rounding);
  say_all();
  MPI_Finalize();
  return 0;
}
