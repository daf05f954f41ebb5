// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// A class of C++ over a window: each rank has a queue of work, and who has none left steals from the others.
#include <cstdint>
#include <vector>

#include "program.h"

namespace {

/** Numbers below a limit, each of which is taken once by fetch-and-add, by its owner or by a thief. */
class Queues {
 public:
  Queues(int limit, MPI_Comm comm) : limit_(limit) {
    MPI_Win_allocate(sizeof(std::int32_t), sizeof(std::int32_t), MPI_INFO_NULL, comm, &next_, &win_);
    *next_ = 0;
    MPI_Barrier(comm);
    MPI_Win_lock_all(0, win_);
  }
  Queues(const Queues&) = delete;
  Queues& operator=(const Queues&) = delete;
  ~Queues() {
    MPI_Win_unlock_all(win_);
    MPI_Win_free(&win_);
  }
  /** Return a number of the owner's queue, or -1. */
  int take(int owner) {
    const std::int32_t one = 1;
    std::int32_t got = 0;
    MPI_Fetch_and_op(&one, &got, MPI_INT32_T, owner, 0, MPI_SUM, win_);
    MPI_Win_flush(owner, win_);
    return got < limit_ ? got : -1;
  }

 private:
  int limit_;
  std::int32_t* next_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rank = my_rank(), ranks = all_ranks();
  long sums[2] = {0, 0}, all[2];
  {
    Queues queues(8, MPI_COMM_WORLD);
    for (int step = 0; step < ranks; ++step) {
      const int owner = (rank + step) % ranks;
      for (int task = queues.take(owner); task >= 0; task = queues.take(owner)) {
        sums[0] += owner * 100L + task;
        sums[1] += 1;
      }
    }
  }
  MPI_Reduce(sums, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) say("%ld tasks, sum %ld\n", all[1], all[0]);
  say_all();
  MPI_Finalize();
  return 0;
}
