// Copyright Tidings contributors.
// SPDX-License-Identifier: Apache-2.0

// The main thread starts sends and receives, and threads of C++ wait for them.
#include <thread>
#include <vector>

#include "program.h"

namespace {

constexpr int kThreads = 4;
constexpr int kMessages = 12;
constexpr int kElements = 700;

}  // namespace

int main() {
  int provided = -1;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) abort();
  const int me = my_rank();
  const int ranks = all_ranks();
  std::vector<std::vector<double>> out(kMessages, std::vector<double>(kElements));
  std::vector<std::vector<double>> in = out;
  std::vector<MPI_Request> requests(2 * kMessages);
  for (int i = 0; i < kMessages; ++i) {
    for (int k = 0; k < kElements; ++k) out[i][k] = me * 1000 + i * 10 + k;
    MPI_Irecv(in[i].data(), kElements, MPI_DOUBLE, (me + ranks - i % ranks) % ranks, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Isend(out[i].data(), kElements, MPI_DOUBLE, (me + i) % ranks, i, MPI_COMM_WORLD, &requests[kMessages + i]);
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; i < 2 * kMessages; i += kThreads) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kMessages; ++i) {
    const auto bytes = in[i].size() * sizeof(double);
    say("rank %d message %d: %08x, null %d\n", me, i, checksum(in[i].data(), bytes), requests[i] == MPI_REQUEST_NULL);
  }
  say_all();
  MPI_Finalize();
  return 0;
}
