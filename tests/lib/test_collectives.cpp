// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// Collectives between ranks on fake slots, in software and in the fake engine.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "coll/registry.h"
#include "fake_device.h"
#include "trace.h"

namespace tidings {
namespace {

fake::Result run(std::uint32_t ranks, bool hardware, const std::function<void(int rank, int ranks)>& body,
                 const tidings_grid& grid = {}) {
  fake::Options options;
  options.hardware_collectives = hardware;
  options.grid = grid;
  auto result = fake::run_ranks(ranks, options, [&](std::uint32_t) {
    MPI_Init(nullptr, nullptr);
    int rank = -1;
    int size = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    body(rank, size);
    MPI_Finalize();
  });
  EXPECT_EQ(result.failure, "");
  EXPECT_TRUE(result.bad_ranks.empty());
  return result;
}

class Collectives : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Paths, Collectives, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "Engine" : "Software"; });

const std::vector<std::uint32_t> kRanks{1, 2, 3, 5, 8};
const std::vector<int> kCounts{0, 1, 7, 100, 5000, 20000};

TEST_P(Collectives, BroadcastFromEveryRootOfAnySize) {
  for (const std::uint32_t ranks : kRanks) {
    run(ranks, GetParam(), [](int rank, int size) {
      for (const int count : kCounts) {
        for (int root = 0; root < size; ++root) {
          std::vector<short> data(static_cast<std::size_t>(count), static_cast<short>(rank == root ? root + 1 : -1));
          MPI_Bcast(data.data(), count, MPI_SHORT, root, MPI_COMM_WORLD);
          ASSERT_EQ(data, std::vector<short>(data.size(), static_cast<short>(root + 1)));
        }
      }
    });
  }
}

TEST_P(Collectives, BroadcastOfElementsWithHolesLeavesTheHoles) {
  run(5, GetParam(), [](int rank, int) {
    MPI_Datatype spaced;
    MPI_Type_vector(12000, 1, 2, MPI_INT, &spaced);
    MPI_Type_commit(&spaced);
    std::vector<int> data(24000, rank);
    for (std::size_t i = 0; rank == 3 && i < data.size(); i += 2) data[i] = static_cast<int>(i) + 100;
    MPI_Bcast(data.data(), 1, spaced, 3, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < data.size(); ++i) {
      ASSERT_EQ(data[i], i % 2 == 0 ? static_cast<int>(i) + 100 : rank);
    }
    MPI_Type_free(&spaced);
  });
}

TEST_P(Collectives, ReduceAndAllreduceOfAnySize) {
  for (const std::uint32_t ranks : kRanks) {
    run(ranks, GetParam(), [](int rank, int size) {
      for (const int count : kCounts) {
        const auto n = static_cast<std::size_t>(count);
        std::vector<double> in(n);
        std::vector<double> sum(n);
        for (std::size_t i = 0; i < n; ++i) {
          in[i] = rank + static_cast<double>(i);
          sum[i] = size * (size - 1) / 2.0 + static_cast<double>(i) * size;
        }
        std::vector<double> out(n, -1);
        MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        ASSERT_EQ(out, sum);
        for (int root = 0; root < size; ++root) {
          std::fill(out.begin(), out.end(), -1.0);
          MPI_Reduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
          ASSERT_EQ(out, rank == root ? sum : std::vector<double>(n, -1));
        }
      }
    });
  }
}

TEST_P(Collectives, InPlaceReductionsUseTheResultsBuffer) {
  run(5, GetParam(), [](int rank, int) {
    std::vector<int> data{rank, 10 - rank};
    MPI_Allreduce(MPI_IN_PLACE, data.data(), 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_EQ(data, (std::vector<int>{4, 10}));
    data = {rank, -rank};
    MPI_Reduce(rank == 2 ? MPI_IN_PLACE : data.data(), data.data(), 2, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
    EXPECT_EQ(data, rank == 2 ? (std::vector<int>{10, -10}) : (std::vector<int>{rank, -rank}));
    data = {1, rank};
    MPI_Scan(MPI_IN_PLACE, data.data(), 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(data, (std::vector<int>{rank + 1, rank * (rank + 1) / 2}));
  });
}

/// 2 × 2 matrix product: associative, not commutative.
void multiply(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const long*>(in);
  auto* b = static_cast<long*>(inout);
  for (int i = 0; i < *count; ++i, a += 4, b += 4) {
    const long product[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                             a[2] * b[1] + a[3] * b[3]};
    std::copy(std::begin(product), std::end(product), b);
  }
}

TEST_P(Collectives, OperationsThatDoNotCommuteAreAppliedInRankOrder) {
  for (const std::uint32_t ranks : kRanks) {
    run(ranks, GetParam(), [](int rank, int size) {
      MPI_Datatype matrix;
      MPI_Type_contiguous(4, MPI_LONG, &matrix);
      MPI_Type_commit(&matrix);
      MPI_Op product;
      MPI_Op_create(multiply, 0, &product);
      const auto of_rank = [](int r) { return std::vector<long>{1 + r, 2, r % 2, 1}; };
      const auto up_to = [&](int last) {
        std::vector<long> all = of_rank(last);
        int one = 1;
        for (int r = last - 1; r >= 0; --r) multiply(of_rank(r).data(), all.data(), &one, nullptr);
        return all;
      };
      const std::vector<long> mine = of_rank(rank);
      std::vector<long> out(4);
      MPI_Allreduce(mine.data(), out.data(), 1, matrix, product, MPI_COMM_WORLD);
      EXPECT_EQ(out, up_to(size - 1));
      for (int root = 0; root < size; ++root) {
        MPI_Reduce(mine.data(), out.data(), 1, matrix, product, root, MPI_COMM_WORLD);
        if (rank == root) {
          EXPECT_EQ(out, up_to(size - 1));
        }
      }
      MPI_Scan(mine.data(), out.data(), 1, matrix, product, MPI_COMM_WORLD);
      EXPECT_EQ(out, up_to(rank));
      MPI_Op_free(&product);
      MPI_Type_free(&matrix);
    });
  }
}

TEST_P(Collectives, LongVectorsOfCommutativeOperationsGoAroundARing) {
  run(5, GetParam(), [](int rank, int size) {
    std::vector<unsigned char> data(100003);
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<unsigned char>(i + static_cast<std::size_t>(rank));
    std::vector<unsigned char> out(data.size());
    MPI_Allreduce(data.data(), out.data(), static_cast<int>(data.size()), MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(out[i], static_cast<unsigned char>(static_cast<std::size_t>(size) * i + 10));
    }
  });
}

TEST_P(Collectives, GatherAndScatterOfShortAndLongBlocks) {
  for (const std::uint32_t ranks : kRanks) {
    run(ranks, GetParam(), [](int rank, int size) {
      for (const int count : {1, 3000}) {
        const auto n = static_cast<std::size_t>(count);
        std::vector<int> all(n * static_cast<std::size_t>(size));
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
        const std::vector<int> mine(all.begin() + rank * count, all.begin() + (rank + 1) * count);
        for (int root = 0; root < size; ++root) {
          std::vector<int> gathered(all.size(), -1);
          MPI_Gather(mine.data(), count, MPI_INT, gathered.data(), count, MPI_INT, root, MPI_COMM_WORLD);
          if (rank == root) {
            ASSERT_EQ(gathered, all);
          }
          std::vector<int> block(n, -1);
          MPI_Scatter(all.data(), count, MPI_INT, block.data(), count, MPI_INT, root, MPI_COMM_WORLD);
          ASSERT_EQ(block, mine);
        }
        std::vector<int> everything(all.size(), -1);
        MPI_Allgather(mine.data(), count, MPI_INT, everything.data(), count, MPI_INT, MPI_COMM_WORLD);
        ASSERT_EQ(everything, all);
      }
    });
  }
}

TEST_P(Collectives, BlocksOfDifferentLengthsGoToTheirDisplacements) {
  run(5, GetParam(), [](int rank, int size) {
    std::vector<int> counts;
    std::vector<int> displacements;
    int next = 1;  // a gap before every block
    for (int r = 0; r < size; ++r) {
      counts.push_back(r % 3);
      displacements.push_back(next);
      next += r % 3 + 1;
    }
    std::vector<int> expected(static_cast<std::size_t>(next), -1);
    for (int r = 0; r < size; ++r) {
      for (int i = 0; i < r % 3; ++i)
        expected[static_cast<std::size_t>(displacements[static_cast<std::size_t>(r)] + i)] = r;
    }
    const std::vector<int> mine(static_cast<std::size_t>(rank % 3), rank);
    std::vector<int> all(expected.size(), -1);
    MPI_Allgatherv(mine.data(), rank % 3, MPI_INT, all.data(), counts.data(), displacements.data(), MPI_INT,
                   MPI_COMM_WORLD);
    EXPECT_EQ(all, expected);
    std::fill(all.begin(), all.end(), -1);
    MPI_Gatherv(mine.data(), rank % 3, MPI_INT, all.data(), counts.data(), displacements.data(), MPI_INT, 4,
                MPI_COMM_WORLD);
    EXPECT_EQ(all, rank == 4 ? expected : std::vector<int>(expected.size(), -1));
    std::vector<int> block(mine.size(), -1);
    MPI_Scatterv(expected.data(), counts.data(), displacements.data(), MPI_INT, block.data(), rank % 3, MPI_INT, 1,
                 MPI_COMM_WORLD);
    EXPECT_EQ(block, mine);
  });
}

TEST_P(Collectives, AlltoallTransposesAlsoInPlace) {
  for (const std::uint32_t ranks : kRanks) {
    run(ranks, GetParam(), [](int rank, int size) {
      const auto n = static_cast<std::size_t>(size);
      std::vector<int> out(n);
      std::vector<int> expected(n);
      for (int i = 0; i < size; ++i) {
        out[static_cast<std::size_t>(i)] = 100 * rank + i;
        expected[static_cast<std::size_t>(i)] = 100 * i + rank;
      }
      std::vector<int> in(n, -1);
      MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
      EXPECT_EQ(in, expected);
      MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out.data(), 1, MPI_INT, MPI_COMM_WORLD);
      EXPECT_EQ(out, expected);
    });
  }
}

TEST_P(Collectives, CommunicatorsOfOneParentDoNotMix) {
  run(6, GetParam(), [](int rank, int) {
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    EXPECT_EQ(sum, rank % 2 == 0 ? 6 : 9);
    int place = -1;
    MPI_Comm_rank(half, &place);
    EXPECT_EQ(place, 2 - rank / 2);
    MPI_Comm copy;
    MPI_Comm_dup(half, &copy);
    int relation = 0;
    MPI_Comm_compare(half, copy, &relation);
    EXPECT_EQ(relation, MPI_CONGRUENT);
    // A message on one is not received on the other.
    int value = rank;
    MPI_Request request;
    const int right = (place + 1) % 3;
    const int left = (place + 2) % 3;
    MPI_Isend(&value, 1, MPI_INT, right, 0, half, &request);
    int other = 100 + rank;
    int in = -1;
    MPI_Sendrecv(&other, 1, MPI_INT, right, 0, &in, 1, MPI_INT, left, 0, copy, MPI_STATUS_IGNORE);
    EXPECT_GE(in, 100);
    MPI_Recv(&in, 1, MPI_INT, left, 0, half, MPI_STATUS_IGNORE);
    EXPECT_LT(in, 100);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
    EXPECT_EQ(half, MPI_COMM_NULL);
  });
}

TEST(Paths, TellWhatTheEngineDidAndWhyItDidNot) {
  const auto result = run(4, true, [](int rank, int) {
    int in = rank;
    int out = 0;
    unsigned u = 3;
    unsigned v = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&u, &v, 1, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&u, &v, 1, MPI_UNSIGNED, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
    MPI_Scan(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(copy);
  });
  std::vector<std::string> told;
  for (const auto& operation : result.operations) {
    told.push_back(operation.name + " " + std::to_string(operation.path) + " " + operation.reason);
  }
  const std::string hardware = std::to_string(TIDINGS_PATH_HARDWARE) + " ";
  const std::string fallback = std::to_string(TIDINGS_PATH_FALLBACK) + " ";
  const std::string none = std::to_string(TIDINGS_PATH_NONE) + " ";
  const std::vector<std::string> expected{
      "MPI_Init " + none,
      "MPI_Barrier " + hardware,
      "MPI_Allreduce " + hardware,
      "MPI_Allreduce " + hardware,
      "MPI_Allreduce " + fallback + "the engine compares signed integers only",
      "MPI_Allreduce " + fallback + "the engine does not have this operation",
      "MPI_Scan " + fallback + "the engine does not have this collective",
      "MPI_Barrier " + none,
      "MPI_Comm_dup " + std::to_string(TIDINGS_PATH_SOFTWARE) + " ",
      "MPI_Barrier " + hardware,
  };
  ASSERT_GE(told.size(), expected.size());
  told.resize(expected.size());
  EXPECT_EQ(told, expected);
}

constexpr tidings_grid kRingOf8{.dimensions = 1, .radix = {8}, .wraps = {true}, .single = false};

/// Paths of rank 0's calls of `name`, and the reasons for them.
std::vector<std::string> paths_of(const fake::Result& result, const std::string& name) {
  std::vector<std::string> paths;
  for (const auto& operation : result.operations) {
    if (operation.name == name) paths.push_back(std::to_string(operation.path) + operation.reason);
  }
  return paths;
}

/// Notes about them.
std::vector<std::string> notes_of(const fake::Result& result, const std::string& name) {
  std::vector<std::string> notes;
  for (const auto& operation : result.operations) {
    if (operation.name == name) notes.push_back(operation.note);
  }
  return notes;
}

/// Give MPI_COMM_WORLD algorithms, as "allreduce=ring,bcast=chain".
void choose(const std::string& choices) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tidings_algorithms", choices.c_str());
  MPI_Comm_set_info(MPI_COMM_WORLD, info);
  MPI_Info_free(&info);
}

TEST_P(Collectives, EveryAlgorithmThatAProgramNamesGivesTheRightResults) {
  for (const std::uint32_t ranks : {4U, 5U, 8U}) {
    run(ranks, GetParam(), [](int rank, int size) {
      for (const Algorithm& algorithm : algorithms()) {
        SCOPED_TRACE(algorithm.name);
        choose(std::string(family_name(algorithm.collective)) + "=" + std::string(algorithm.name));
        for (const int count : {1, 100, 5000}) {
          const auto n = static_cast<std::size_t>(count);
          std::vector<int> in(n);
          std::vector<int> out(n, -1);
          for (std::size_t i = 0; i < n; ++i) in[i] = rank + static_cast<int>(i);
          const auto sums = [&](int value, std::size_t i) {
            return value == size * (size - 1) / 2 + size * static_cast<int>(i);
          };
          MPI_Barrier(MPI_COMM_WORLD);
          switch (algorithm.collective) {
            case Collective::Bcast:
              MPI_Bcast(in.data(), count, MPI_INT, size - 1, MPI_COMM_WORLD);
              for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(in[i], size - 1 + static_cast<int>(i));
              break;
            case Collective::Reduce:
              MPI_Reduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, size / 2, MPI_COMM_WORLD);
              for (std::size_t i = 0; i < n && rank == size / 2; ++i) ASSERT_TRUE(sums(out[i], i));
              break;
            case Collective::Allreduce:
              MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
              for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(sums(out[i], i));
              break;
            default:
              break;
          }
        }
      }
    });
  }
}

TEST(Algorithms, OfACommunicatorAreThoseThatItsInfoNames) {
  const auto result = run(8, true, [](int, int) {
    int in = 1;
    int out = 0;
    choose("allreduce=ring");
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);  // fewer elements than ranks
    std::vector<int> many(8, 1);
    std::vector<int> sums(8);
    MPI_Allreduce(many.data(), sums.data(), 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Info used;
    MPI_Comm_get_info(MPI_COMM_WORLD, &used);
    char value[32] = "";
    int length = sizeof value;
    int found = 0;
    MPI_Info_get_string(used, "tidings_algorithms", &length, value, &found);
    EXPECT_TRUE(found);
    EXPECT_STREQ(value, "allreduce=ring");
    MPI_Info_free(&used);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);  // the standard's: without the hints
    MPI_Allreduce(many.data(), sums.data(), 8, MPI_INT, MPI_SUM, copy);
    choose("allreduce=chain");
    MPI_Allreduce(many.data(), sums.data(), 8, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sums, std::vector<int>(8, 8));
  });
  const std::string hardware = std::to_string(TIDINGS_PATH_HARDWARE);
  const std::string software = std::to_string(TIDINGS_PATH_SOFTWARE);
  EXPECT_EQ(paths_of(result, "MPI_Allreduce"), (std::vector<std::string>{hardware, software, hardware, hardware}));
  const std::string why = "the vector has fewer elements than there are ranks";
  EXPECT_EQ(notes_of(result, "MPI_Allreduce"),
            (std::vector<std::string>{"ring was named but not used, because " + why, "", "", ""}));
}

TEST(Algorithms, ThatDoNotExistAreAnErrorOfTheInfosValue) {
  run(2, true, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tidings_algorithms", "allreduce=rng");
    EXPECT_EQ(MPI_Comm_set_info(MPI_COMM_WORLD, info), MPI_ERR_INFO_VALUE);
    MPI_Comm copy;
    EXPECT_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy), MPI_ERR_INFO_VALUE);
    MPI_Info_free(&info);
    EXPECT_EQ(MPI_Comm_set_info(MPI_COMM_WORLD, info), MPI_ERR_INFO);
  });
}

TEST(Algorithms, ThatRanksNameDifferentlyAreAnErrorAtAll) {
  run(2, true, [](int rank, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tidings_algorithms", rank == 0 ? "allreduce=ring" : "allreduce=chain");
    EXPECT_EQ(MPI_Comm_set_info(MPI_COMM_WORLD, info), MPI_ERR_INFO_VALUE);
    MPI_Info_free(&info);
  });
}

TEST(Contexts, CollectivesOfSubcommunicatorsRunInTheEngine) {
  for (const tidings_grid& grid : {tidings_grid{}, kRingOf8}) {
    const auto result = run(
        8, true,
        [](int rank, int) {
          MPI_Comm half;
          MPI_Comm backwards;
          MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank, &half);
          MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &backwards);
          for (const MPI_Comm group : {half, backwards, half}) {
            int mine = -1;
            MPI_Comm_rank(group, &mine);
            const int members = group == half ? 4 * (rank / 4 * 4) + 6 : 4 * (rank % 2) + 12;
            for (int root = 0; root < 4; ++root) {
              int sum = -1;
              MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, group);
              EXPECT_EQ(sum, mine == root ? members : -1);
              int told = mine == root ? rank : -1;
              MPI_Bcast(&told, 1, MPI_INT, root, group);
              EXPECT_EQ(told, group == half ? rank / 4 * 4 + root : rank % 2 + 2 * (3 - root));
            }
            int sum = -1;
            MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, group);
            EXPECT_EQ(sum, members);
            MPI_Barrier(group);
          }
          MPI_Comm_free(&half);
          MPI_Comm_free(&backwards);
        },
        grid);
    const std::string hardware = std::to_string(TIDINGS_PATH_HARDWARE);
    for (const char* name : {"MPI_Reduce", "MPI_Bcast", "MPI_Allreduce", "MPI_Barrier"}) {
      for (const std::string& path : paths_of(result, name)) EXPECT_EQ(path, hardware) << name;
    }
  }
}

TEST(Contexts, GroupsThatFindNoneFreeFallBackAndThoseOfEqualMembersShareOne) {
  constexpr int kGroups = 9;  // of three ranks with rank 0: two more than the engine has contexts beside the world's
  const auto result = run(8, true, [](int rank, int) {
    int tried = 0;
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int other = 1; other < 8 && tried < kGroups; ++other) {
      for (int third = other + 1; third < 8 && tried < kGroups; ++third, ++tried) {
        const int members[3] = {0, other, third};
        MPI_Group group;
        MPI_Group_incl(world, 3, members, &group);
        MPI_Comm made;
        MPI_Comm_create(MPI_COMM_WORLD, group, &made);
        if (made == MPI_COMM_NULL) continue;
        int sum = 0;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made);
        EXPECT_EQ(sum, other + third);
        MPI_Comm_free(&made);
      }
    }
    // The first group again, in another order: its context has been kept.
    const int members[3] = {2, 0, 1};
    MPI_Group group;
    MPI_Group_incl(world, 3, members, &group);
    MPI_Comm made;
    MPI_Comm_create(MPI_COMM_WORLD, group, &made);
    if (made == MPI_COMM_NULL) return;
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, made);
    EXPECT_EQ(sum, 3);
  });
  std::vector<std::string> expected(7, std::to_string(TIDINGS_PATH_HARDWARE));
  for (int i = 7; i < kGroups; ++i) {
    expected.push_back(std::to_string(TIDINGS_PATH_FALLBACK) + "the engine has no context for the communicator");
  }
  expected.push_back(std::to_string(TIDINGS_PATH_HARDWARE));
  EXPECT_EQ(paths_of(result, "MPI_Allreduce"), expected);
}

}  // namespace
}  // namespace tidings
