// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// Programs with a mistake: what the message says, and what an error handler gets instead.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "fake_device.h"

namespace tidings {
namespace {

/// What the run failed with; empty where every rank ended well.
std::string failure(std::uint32_t ranks, bool hardware, const std::function<void(int rank)>& body) {
  fake::Options options;
  options.hardware_collectives = hardware;
  const fake::Result result = fake::run_ranks(ranks, options, [&](std::uint32_t) {
    MPI_Init(nullptr, nullptr);
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    body(rank);
    MPI_Finalize();
  });
  EXPECT_TRUE(result.bad_ranks.empty());
  return result.failure;
}

/// What was wrong, in front of the sentence that says what to do.
std::string wrong(const std::string& text) {
  const std::size_t end = text.find(". ");
  EXPECT_NE(end, std::string::npos) << text;
  EXPECT_TRUE(text.ends_with('.')) << text;
  return text.substr(0, end);
}

TEST(Mistake, TruncatedShortMessageNamesBothSizes) {
  EXPECT_EQ(
      wrong(failure(3, false,
                    [](int rank) {
                      std::vector<int> data(100);
                      if (rank == 0) MPI_Send(data.data(), 50, MPI_INT, 2, 5, MPI_COMM_WORLD);
                      if (rank == 2) MPI_Recv(data.data(), 25, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    })),
      "rank 2: MPI_Recv(source 0, tag 5): message from rank 0, tag 5 truncated: 200 bytes sent, buffer holds 100");
}

TEST(Mistake, TruncatedLongMessageNamesBothSizes) {
  EXPECT_EQ(wrong(failure(2, false,
                          [](int rank) {
                            std::vector<int> data(50000);
                            if (rank == 0) MPI_Send(data.data(), 50000, MPI_INT, 1, 0, MPI_COMM_WORLD);
                            if (rank == 1) {
                              MPI_Request request;
                              MPI_Irecv(data.data(), 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                                        &request);
                              MPI_Wait(&request, MPI_STATUS_IGNORE);
                            }
                          })),
            "rank 1: MPI_Wait: message from rank 0, tag 0 truncated: 200000 bytes sent, buffer holds 40");
}

TEST(Mistake, MismatchedRootsNameBothCallsInTheEngine) {
  const std::string text = wrong(failure(2, true, [](int rank) {
    int data[4] = {};
    MPI_Bcast(data, 4, MPI_INT, rank, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }));
  EXPECT_TRUE(text ==
                  "rank 0: MPI_Barrier: collectives do not match: rank 1 called MPI_Bcast(root 1, 4 x MPI_INT), "
                  "this rank's last one was MPI_Bcast(root 0, 4 x MPI_INT)" ||
              text ==
                  "rank 1: MPI_Barrier: collectives do not match: rank 0 called MPI_Bcast(root 0, 4 x MPI_INT), "
                  "this rank's last one was MPI_Bcast(root 1, 4 x MPI_INT)")
      << text;
}

TEST(Mistake, MismatchedCountsNameBothCalls) {
  for (const bool hardware : {false, true}) {
    const std::string text = failure(2, hardware, [](int rank) {
      int data[8] = {};
      int out[8];
      MPI_Allreduce(data, out, 4 + rank, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    });
    EXPECT_NE(text.find("MPI_Allreduce(4 x MPI_INT"), std::string::npos) << text;
    EXPECT_NE(text.find("MPI_Allreduce(5 x MPI_INT"), std::string::npos) << text;
    EXPECT_NE(text.find("collectives do not match"), std::string::npos) << text;
  }
}

TEST(Mistake, DifferentCollectivesAreNoticedInSoftware) {
  const std::string text = wrong(failure(2, false, [](int rank) {
    int value = 0;
    if (rank == 0) MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }));
  // Whoever hears of the other first.
  EXPECT_TRUE(text == "rank 1: MPI_Barrier: collectives do not match: rank 0 called MPI_Bcast(root 0, 1 x MPI_INT)" ||
              text == "rank 0: MPI_Bcast(root 0, 1 x MPI_INT): collectives do not match: rank 1 called MPI_Barrier" ||
              text ==
                  "rank 0: MPI_Barrier: collectives do not match: rank 1 called MPI_Barrier, this rank's last one "
                  "was MPI_Bcast(root 0, 1 x MPI_INT)")
      << text;
}

TEST(Mistake, FunctionThatIsLeftOutIsAnErrorWithTheReason) {
  const std::string text = failure(1, false, [](int) {
    char name[MPI_MAX_PORT_NAME];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Open_port(MPI_INFO_NULL, name) != MPI_ERR_UNSUPPORTED_OPERATION) return;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Open_port(MPI_INFO_NULL, name);
  });
  EXPECT_EQ(wrong(text),
            "rank 0: MPI_Open_port: left out of Tidings: processes are neither started nor connected while a run "
            "goes on");
}

TEST(Mistake, AbortNamesTheCode) {
  const auto result = fake::run_ranks(2, {}, [](std::uint32_t rank) {
    MPI_Init(nullptr, nullptr);
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 42);
    MPI_Finalize();
  });
  EXPECT_EQ(result.failure, "rank 1: MPI_Abort(MPI_COMM_WORLD, 42)");
  EXPECT_EQ(result.failure_code, 42);
}

TEST(Mistake, CallsBeforeInitAndAfterFinalizeAreNamed) {
  EXPECT_EQ(fake::run_ranks(1, {}, [](std::uint32_t) { MPI_Barrier(MPI_COMM_WORLD); }).failure,
            "rank 0: MPI_Barrier: MPI has not been initialized. Call MPI_Init before.");
  EXPECT_EQ(fake::run_ranks(1, {},
                            [](std::uint32_t) {
                              MPI_Init(nullptr, nullptr);
                              MPI_Finalize();
                              MPI_Barrier(MPI_COMM_WORLD);
                            })
                .failure,
            "rank 0: MPI_Barrier: MPI has been finalized. Make the call before MPI_Finalize.");
}

TEST(Mistake, WrongArgumentsAreReturnedAsClassesWhereErrorsReturn) {
  const std::string text = failure(2, false, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int value = 0;
    int out = 0;
    const MPI_Comm world = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, 2, 0, world), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, -1, 0, world), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, 0, -5, world), MPI_ERR_TAG);
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, world), MPI_ERR_TAG);
    EXPECT_EQ(MPI_Send(&value, -1, MPI_INT, 0, 0, world), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Send(nullptr, 1, MPI_INT, 0, 0, world), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, world), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Bcast(&value, 1, MPI_INT, 2, world), MPI_ERR_ROOT);
    EXPECT_EQ(MPI_Allreduce(&value, &out, 1, MPI_INT, MPI_OP_NULL, world), MPI_ERR_OP);
    EXPECT_EQ(MPI_Allreduce(&value, &out, 1, MPI_FLOAT, MPI_BAND, world), MPI_ERR_OP);
    MPI_Datatype raw;
    MPI_Type_contiguous(2, MPI_INT, &raw);
    EXPECT_EQ(MPI_Send(&value, 1, raw, 0, 0, world), MPI_ERR_TYPE);
    MPI_Type_free(&raw);
    auto stale = MPI_Request_fromint(0x12345);
    EXPECT_EQ(MPI_Wait(&stale, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    int many[100] = {};
    if (rank == 0) {
      MPI_Send(many, 100, MPI_INT, 1, 0, world);
    } else {
      MPI_Status status;
      EXPECT_EQ(MPI_Recv(many, 10, MPI_INT, 0, 0, world, &status), MPI_ERR_TRUNCATE);
    }
    MPI_Barrier(world);
  });
  EXPECT_EQ(text, "");
}

TEST(Mistake, ErrorsOfAWaitForSeveralAreInTheStatuses) {
  const std::string text = failure(2, false, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int many[100] = {};
    if (rank == 0) {
      MPI_Send(many, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);
      MPI_Send(many, 100, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
      MPI_Request requests[2];
      MPI_Status statuses[2];
      MPI_Irecv(many, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(many + 10, 10, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
      EXPECT_EQ(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
      EXPECT_EQ(statuses[0].MPI_ERROR, MPI_SUCCESS);
      EXPECT_EQ(statuses[1].MPI_ERROR, MPI_ERR_TRUNCATE);
    }
  });
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace tidings
