// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// Several threads of a rank in the library at once, on fake slots: with real time, and under the sanitizers.
#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "fake_device.h"

namespace tidings {
namespace {

constexpr int kThreads = 4;

struct Place {
  int rank;
  int ranks;
  int thread;
  MPI_Comm comm;  ///< of this thread alone
};

/// Run `body` in several threads of each rank.
void run(std::uint32_t ranks, const std::function<void(const Place&)>& body) {
  const auto result = fake::run_ranks(ranks, {}, [&](std::uint32_t) {
    int provided = -1;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    ASSERT_EQ(provided, MPI_THREAD_MULTIPLE);
    int rank = -1;
    int size = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<MPI_Comm> comms(kThreads);
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] { body({rank, size, thread, comms[static_cast<std::size_t>(thread)]}); });
    }
    for (std::thread& thread : threads) thread.join();
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
    MPI_Finalize();
  });
  EXPECT_EQ(result.failure, "");
  EXPECT_TRUE(result.bad_ranks.empty());
}

TEST(Threads, MessagesOfEachThreadComeToTheSameThreadOfTheNextRank) {
  run(3, [](const Place& at) {
    for (const int count : {0, 1, 50, 2000, 20000}) {
      std::vector<int> out(static_cast<std::size_t>(count));
      std::vector<int> in(out.size(), -1);
      std::iota(out.begin(), out.end(), at.rank * 100000 + at.thread);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(out.data(), count, MPI_INT, (at.rank + 1) % at.ranks, at.thread, MPI_COMM_WORLD, &request);
      const int before = (at.rank + at.ranks - 1) % at.ranks;
      MPI_Recv(in.data(), count, MPI_INT, before, at.thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      std::iota(out.begin(), out.end(), before * 100000 + at.thread);
      ASSERT_EQ(in, out);
    }
  });
}

TEST(Threads, CollectivesOfDifferentCommunicatorsGoOnAtOnce) {
  run(3, [](const Place& at) {
    for (int round = 0; round < 20; ++round) {
      const int mine = at.rank * 10 + at.thread + round;
      int sum = -1;
      MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, at.comm);
      ASSERT_EQ(sum, 10 * (at.ranks * (at.ranks - 1) / 2) + at.ranks * (at.thread + round));
      std::vector<int> all(static_cast<std::size_t>(at.ranks));
      MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, at.comm);
      for (int i = 0; i < at.ranks; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], i * 10 + at.thread + round);
      MPI_Barrier(at.comm);
    }
  });
}

TEST(Threads, CommunicatorsThatAreMadeAtOnceKeepTheirMessagesApart) {
  run(3, [](const Place& at) {
    for (int round = 0; round < 8; ++round) {
      MPI_Comm made = MPI_COMM_NULL;
      MPI_Comm_dup(at.comm, &made);
      const int mine = at.thread * 1000 + round;
      int theirs = -1;
      MPI_Sendrecv(&mine, 1, MPI_INT, (at.rank + 1) % at.ranks, 0, &theirs, 1, MPI_INT,
                   (at.rank + at.ranks - 1) % at.ranks, 0, made, MPI_STATUS_IGNORE);
      ASSERT_EQ(theirs, mine);
      MPI_Comm_free(&made);
    }
  });
}

TEST(Threads, OneBlocksWhileOthersAskAgainAndAgain) {
  run(2, [](const Place& at) {
    const int other = 1 - at.rank;
    for (int round = 0; round < 10; ++round) {
      const int mine = at.thread + round;
      int theirs = -1;
      MPI_Send(&mine, 1, MPI_INT, other, at.thread, MPI_COMM_WORLD);
      if (at.thread % 2 == 0) {
        MPI_Recv(&theirs, 1, MPI_INT, other, at.thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(&theirs, 1, MPI_INT, other, at.thread, MPI_COMM_WORLD, &request);
        for (int flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      }
      ASSERT_EQ(theirs, mine);
    }
  });
}

TEST(Threads, AMessageOfOneThreadEndsTheWaitOfAnotherOneOfTheSameRank) {
  run(1, [](const Place& at) {
    const int tag = at.thread / 2;
    int value = tag;
    if (at.thread % 2 == 0) {
      MPI_Probe(0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      value = -1;
      MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      ASSERT_EQ(value, tag);
    } else {
      std::this_thread::yield();
      MPI_Ssend(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    }
  });
}

TEST(Threads, ThreadsAccessAWindowAtOnce) {
  static MPI_Win window;
  static std::atomic<int> made;
  run(2, [](const Place& at) {
    static int* memory = nullptr;
    if (at.thread == 0) {
      MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, at.comm, &memory, &window);
      *memory = 0;
      MPI_Barrier(at.comm);
      MPI_Win_lock_all(0, window);
      made = 1;
      made.notify_all();
    }
    made.wait(0);
    const int one = 1;
    for (int round = 0; round < 5; ++round) {
      MPI_Accumulate(&one, 1, MPI_INT, 1 - at.rank, 0, 1, MPI_INT, MPI_SUM, window);
      MPI_Win_flush(1 - at.rank, window);
    }
    ++made;
    if (at.thread != 0) return;
    while (made != kThreads + 1) std::this_thread::yield();
    MPI_Win_unlock_all(window);
    MPI_Barrier(at.comm);
    MPI_Win_lock(MPI_LOCK_SHARED, at.rank, 0, window);
    ASSERT_EQ(*memory, 5 * kThreads);
    MPI_Win_unlock(at.rank, window);
    MPI_Win_free(&window);
  });
}

}  // namespace
}  // namespace tidings
