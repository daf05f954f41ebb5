// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// Point-to-point messages between ranks on fake slots.
#include <gtest/gtest.h>
#include <mpi.h>

#include <numeric>
#include <string>
#include <vector>

#include "fake_device.h"

namespace tidings {
namespace {

/// Run MPI code in some ranks; every rank must end well.
void run(std::uint32_t ranks, const std::function<void(int rank)>& body, const fake::Options& options = {}) {
  const fake::Result result = fake::run_ranks(ranks, options, [&](std::uint32_t) {
    MPI_Init(nullptr, nullptr);
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    body(rank);
    MPI_Finalize();
  });
  EXPECT_EQ(result.failure, "");
  EXPECT_TRUE(result.bad_ranks.empty());
}

/// Bytes that tell what they are.
std::vector<unsigned char> pattern(std::size_t bytes, unsigned seed) {
  std::vector<unsigned char> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(i * 7 + i / 251 + seed);
  return data;
}

/// Around the limits of an eager message and of a window.
const std::vector<int> kSizes{0, 1, 3, 4, 239, 240, 241, 4095, 4096, 4097, 8193, 100001};

TEST(Messages, OfAnySizeArriveWhole) {
  run(2, [](int rank) {
    for (const int bytes : kSizes) {
      const auto expected = pattern(static_cast<std::size_t>(bytes), 3);
      if (rank == 0) {
        MPI_Send(expected.data(), bytes, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
      } else {
        std::vector<unsigned char> data(expected.size());
        MPI_Status status;
        MPI_Recv(data.data(), bytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &status);
        EXPECT_EQ(data, expected) << bytes;
        int count = -1;
        MPI_Get_count(&status, MPI_BYTE, &count);
        EXPECT_EQ(count, bytes);
        EXPECT_EQ(status.MPI_SOURCE, 0);
        EXPECT_EQ(status.MPI_TAG, 5);
      }
    }
  });
}

TEST(Messages, ShortAndLongOnesOfOneEnvelopeKeepTheirOrder) {
  run(2, [](int rank) {
    constexpr int kMessages = 60;
    const auto length = [](int i) { return i % 3 == 0 ? 20000 : 1 + i % 5; };
    if (rank == 0) {
      std::vector<MPI_Request> requests(kMessages);
      std::vector<std::vector<int>> data;
      for (int i = 0; i < kMessages; ++i) data.emplace_back(length(i), i);
      for (int i = 0; i < kMessages; ++i) {
        const auto at = static_cast<std::size_t>(i);
        MPI_Isend(data[at].data(), length(i), MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[at]);
      }
      MPI_Waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE);
    } else {
      for (int i = 0; i < kMessages; ++i) {
        std::vector<int> data(20000, -1);
        MPI_Status status;
        MPI_Recv(data.data(), 20000, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
        int count = 0;
        MPI_Get_count(&status, MPI_INT, &count);
        ASSERT_EQ(count, length(i));
        ASSERT_EQ(data[static_cast<std::size_t>(count - 1)], i);
      }
    }
  });
}

TEST(Messages, MoreThanTheRingHoldsWaitForCredits) {
  run(3, [](int rank) {
    constexpr int kMessages = 3000;
    if (rank == 0) {
      std::vector<int> next(3, 0);
      for (int i = 0; i < 2 * kMessages; ++i) {
        int value = -1;
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        ASSERT_EQ(value, next[static_cast<std::size_t>(status.MPI_SOURCE)]++);
      }
    } else {
      for (int i = 0; i < kMessages; ++i) MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
  });
}

TEST(Messages, BothWaysAtOnceWithoutReceivesDoNotDeadlockForWantOfCredits) {
  run(2, [](int rank) {
    constexpr int kMessages = 500;
    std::vector<int> out(kMessages);
    std::iota(out.begin(), out.end(), 0);
    std::vector<int> in(kMessages, -1);
    std::vector<MPI_Request> requests(2 * kMessages);
    for (int i = 0; i < kMessages; ++i) {
      const auto at = static_cast<std::size_t>(i);
      MPI_Isend(&out[at], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[at]);
    }
    for (int i = kMessages - 1; i >= 0; --i) {
      const auto at = static_cast<std::size_t>(i);
      MPI_Irecv(&in[at], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[kMessages + at]);
    }
    MPI_Waitall(2 * kMessages, requests.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(in, out);
  });
}

TEST(Messages, ManyLongOnesAtOnceShareTheWindows) {
  run(4, [](int rank) {
    constexpr int kEach = 40;
    constexpr int kInts = 5000;
    std::vector<std::vector<int>> in(4 * kEach, std::vector<int>(kInts, -1));
    std::vector<std::vector<int>> out;
    std::vector<MPI_Request> requests;
    for (int peer = 0; peer < 4; ++peer) {
      if (peer == rank) continue;
      for (int i = 0; i < kEach; ++i) {
        requests.emplace_back();
        MPI_Irecv(in[static_cast<std::size_t>(peer * kEach + i)].data(), kInts, MPI_INT, peer, i, MPI_COMM_WORLD,
                  &requests.back());
      }
    }
    for (int i = 0; i < kEach; ++i) out.emplace_back(kInts, 1000 * rank + i);
    for (int i = kEach - 1; i >= 0; --i) {
      for (int peer = 0; peer < 4; ++peer) {
        if (peer == rank) continue;
        requests.emplace_back();
        MPI_Isend(out[static_cast<std::size_t>(i)].data(), kInts, MPI_INT, peer, i, MPI_COMM_WORLD, &requests.back());
      }
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (int peer = 0; peer < 4; ++peer) {
      if (peer == rank) continue;
      for (int i = 0; i < kEach; ++i) {
        ASSERT_EQ(in[static_cast<std::size_t>(peer * kEach + i)], std::vector<int>(kInts, 1000 * peer + i));
      }
    }
  });
}

TEST(Messages, WithHolesOnBothSidesArePackedAndUnpacked) {
  run(2, [](int rank) {
    MPI_Datatype columns;
    MPI_Type_vector(3000, 1, 3, MPI_INT, &columns);
    MPI_Type_commit(&columns);
    MPI_Datatype pairs;
    MPI_Type_vector(1500, 2, 5, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    if (rank == 0) {
      std::vector<int> data(9000);
      std::iota(data.begin(), data.end(), 0);
      MPI_Send(data.data(), 1, columns, 1, 0, MPI_COMM_WORLD);
    } else {
      std::vector<int> data(7500, -1);
      MPI_Recv(data.data(), 1, pairs, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < 1500; ++i) {
        const auto at = static_cast<std::size_t>(5 * i);
        ASSERT_EQ(data[at], 6 * i);
        ASSERT_EQ(data[at + 1], 6 * i + 3);
        if (i < 1499) {
          ASSERT_EQ(data[at + 2], -1);
        }
      }
    }
    MPI_Type_free(&columns);
    MPI_Type_free(&pairs);
  });
}

TEST(Messages, SynchronousSendWaitsForTheReceive) {
  run(2, [](int rank) {
    int value = 7;
    if (rank == 0) {
      MPI_Request request;
      MPI_Issend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
      MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      int flag = -1;
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      EXPECT_EQ(flag, 0) << "nobody has received it";
      MPI_Send(&value, 0, MPI_INT, 1, 3, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Ssend(&value, 0, MPI_INT, 1, 4, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
      MPI_Recv(&value, 0, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(value, 7);
      MPI_Recv(nullptr, 0, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  });
}

TEST(Messages, ToOneselfAreBufferedOrMatchedAndSynchronousOnesWait) {
  run(1, [](int) {
    int in = 0;
    int out = 5;
    MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    EXPECT_EQ(in, 5);
    MPI_Request request;
    MPI_Issend(&out, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    int flag = -1;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
  });
}

TEST(Messages, ProbeTellsSourceTagAndSizeAndLeavesTheMessage) {
  run(2, [](int rank) {
    std::vector<int> data(1000, 4);
    if (rank == 0) {
      MPI_Send(data.data(), 1000, MPI_INT, 1, 8, MPI_COMM_WORLD);
    } else {
      MPI_Status status;
      for (int again = 0; again < 2; ++again) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        int count = 0;
        MPI_Get_count(&status, MPI_INT, &count);
        EXPECT_EQ(count, 1000);
        EXPECT_EQ(status.MPI_TAG, 8);
      }
      int flag = -1;
      MPI_Iprobe(0, 9, MPI_COMM_WORLD, &flag, &status);
      EXPECT_EQ(flag, 0);
      MPI_Recv(data.data(), 1000, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  });
}

TEST(Messages, FreedRequestsStillArrive) {
  run(2, [](int rank) {
    static std::vector<int> data(20000, 6);
    if (rank == 0) {
      MPI_Request request;
      MPI_Isend(data.data(), 20000, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
      MPI_Request_free(&request);
      EXPECT_EQ(request, MPI_REQUEST_NULL);
    } else {
      std::vector<int> in(20000);
      MPI_Recv(in.data(), 20000, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, data);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  });
}

TEST(Messages, LittleNodeMemoryIsEnough) {
  run(3,
      [](int rank) {
        std::vector<int> out(30000, rank);
        std::vector<int> in(30000, -1);
        MPI_Sendrecv(out.data(), 30000, MPI_INT, (rank + 1) % 3, 0, in.data(), 30000, MPI_INT, (rank + 2) % 3, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(in, std::vector<int>(30000, (rank + 2) % 3));
      },
      {false, 24576});
}

}  // namespace
}  // namespace tidings
