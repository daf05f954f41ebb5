// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// Every schedule is run by a small interpreter that keeps, for each block, the list of contributions combined in it. So
// a result is right only if every contribution is in it once, and in rank order where that is promised.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "coll/algorithms.h"
#include "coll/inter.h"
#include "coll/registry.h"

namespace tidings {
namespace {

using Value = std::vector<int>;  // contributions in the order in which they were combined
using Array = std::map<std::uint32_t, Value>;

constexpr int kMostRanks = 17;

class Interpreter {
 public:
  Interpreter(int size, const std::function<Schedule(int)>& algorithm) : arrays_(static_cast<std::size_t>(size)) {
    for (int rank = 0; rank < size; ++rank) schedules_.push_back(algorithm(rank));
  }

  Array& array(int rank, Place place) { return arrays_[static_cast<std::size_t>(rank)][place]; }

  /// Run until nothing moves. All sends are buffered, as eager messages are.
  void run() {
    const auto size = schedules_.size();
    std::vector<std::size_t> round(size, 0);
    std::vector<bool> sent(size, false);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < size; ++rank) {
        if (round[rank] == schedules_[rank].size()) continue;
        const Round& now = schedules_[rank][round[rank]];
        if (!sent[rank]) {
          send_all(static_cast<int>(rank), now);
          sent[rank] = true;
          moved = true;
        }
        if (!ready(static_cast<int>(rank), now)) continue;
        receive_all(static_cast<int>(rank), now);
        for (const LocalStep& step : now.steps) apply(static_cast<int>(rank), step);
        ++round[rank];
        sent[rank] = false;
        moved = true;
      }
    }
    for (std::size_t rank = 0; rank < size; ++rank) {
      EXPECT_EQ(round[rank], schedules_[rank].size()) << "rank " << rank << " is stuck";
    }
    for (const auto& [way, messages] : wires_) {
      EXPECT_TRUE(messages.empty()) << "a message from " << way.first << " to " << way.second << " is left over";
    }
  }

  /// Rounds of the rank that has most.
  [[nodiscard]] std::size_t rounds() const {
    std::size_t most = 0;
    for (const Schedule& schedule : schedules_) most = std::max(most, schedule.size());
    return most;
  }

 private:
  using Message = std::vector<Value>;

  void send_all(int rank, const Round& round) {
    for (const Transfer& transfer : round.transfers) {
      if (transfer.direction != Transfer::Direction::Send) continue;
      EXPECT_NE(transfer.peer, rank);
      Message message;
      for (std::uint32_t i = 0; i < transfer.range.blocks; ++i) {
        message.push_back(array(rank, transfer.range.place)[transfer.range.first + i]);
      }
      wires_[{rank, transfer.peer}].push_back(message);
    }
  }

  bool ready(int rank, const Round& round) {
    std::map<int, std::size_t> needed;
    for (const Transfer& transfer : round.transfers) {
      if (transfer.direction == Transfer::Direction::Receive) ++needed[transfer.peer];
    }
    return std::all_of(needed.begin(), needed.end(),
                       [&](const auto& need) { return wires_[{need.first, rank}].size() >= need.second; });
  }

  void receive_all(int rank, const Round& round) {
    for (const Transfer& transfer : round.transfers) {
      if (transfer.direction != Transfer::Direction::Receive) continue;
      auto& wire = wires_[{transfer.peer, rank}];
      const Message message = wire.front();
      wire.pop_front();
      ASSERT_EQ(message.size(), transfer.range.blocks) << "from " << transfer.peer << " to " << rank;
      EXPECT_NE(transfer.range.place, Place::Input);
      for (std::uint32_t i = 0; i < transfer.range.blocks; ++i) {
        array(rank, transfer.range.place)[transfer.range.first + i] = message[i];
      }
    }
  }

  void apply(int rank, const LocalStep& step) {
    ASSERT_EQ(step.from.blocks, step.to.blocks);
    EXPECT_NE(step.to.place, Place::Input);
    for (std::uint32_t i = 0; i < step.from.blocks; ++i) {
      Value& from = array(rank, step.from.place)[step.from.first + i];
      Value& to = array(rank, step.to.place)[step.to.first + i];
      Value result = from;
      if (step.kind == LocalStep::Kind::CombineBefore) {
        result.insert(result.end(), to.begin(), to.end());
      } else if (step.kind == LocalStep::Kind::CombineAfter) {
        result = to;
        result.insert(result.end(), from.begin(), from.end());
        from.clear();
      }
      to = result;
    }
  }

  std::vector<Schedule> schedules_;
  std::vector<std::map<Place, Array>> arrays_;
  std::map<std::pair<int, int>, std::deque<Message>> wires_;
};

Value all_ranks(int size) {
  Value value(static_cast<std::size_t>(size));
  std::iota(value.begin(), value.end(), 0);
  return value;
}

Value sorted(Value value) {
  std::sort(value.begin(), value.end());
  return value;
}

std::uint32_t index(int value) { return static_cast<std::uint32_t>(value); }

std::size_t log2_ceiling(int size) {
  std::size_t rounds = 0;
  while ((1 << rounds) < size) ++rounds;
  return rounds;
}

/// Run test for all sizes up to kMostRanks and all their roots.
void for_all_roots(const std::function<void(int size, int root)>& test) {
  for (int size = 1; size <= kMostRanks; ++size) {
    for (int root = 0; root < size; ++root) {
      SCOPED_TRACE(std::to_string(size) + " ranks, root " + std::to_string(root));
      test(size, root);
    }
  }
}

/// Run test for all sizes up to kMostRanks.
void for_all_sizes(const std::function<void(int size)>& test) {
  for (int size = 1; size <= kMostRanks; ++size) {
    SCOPED_TRACE(std::to_string(size) + " ranks");
    test(size);
  }
}

TEST(RootedSchedule, BinomialBroadcastReachesEveryRank) {
  for_all_roots([](int size, int root) {
    Interpreter run(size, [&](int rank) { return broadcast_binomial(rank, size, root); });
    run.array(root, Place::Output)[0] = {99};
    run.run();
    for (int rank = 0; rank < size; ++rank) EXPECT_EQ(run.array(rank, Place::Output)[0], Value{99}) << rank;
  });
}

TEST(RootedSchedule, MulticastReachesEveryRankInOneRoundOfEqualSends) {
  for_all_roots([](int size, int root) {
    Interpreter run(size, [&](int rank) { return broadcast_multicast(rank, size, root); });
    run.array(root, Place::Output)[0] = {99};
    run.run();
    for (int rank = 0; rank < size; ++rank) {
      EXPECT_EQ(run.array(rank, Place::Output)[0], Value{99}) << rank;
      EXPECT_EQ(broadcast_multicast(rank, size, root).at(0).multicast, rank == root);
    }
  });
}

TEST(RootedSchedule, ScatterRingBroadcastReachesEveryRankWithEveryBlock) {
  for_all_roots([](int size, int root) {
    Interpreter run(size, [&](int rank) { return broadcast_scatter_ring(rank, size, root); });
    for (int block = 0; block < size; ++block) run.array(root, Place::Output)[index(block)] = {block};
    run.run();
    for (int rank = 0; rank < size; ++rank) {
      for (int block = 0; block < size; ++block) {
        EXPECT_EQ(run.array(rank, Place::Output)[index(block)], Value{block}) << rank;
      }
    }
  });
}

TEST(RootedSchedule, BinomialReduceCombinesEveryContributionOnce) {
  for_all_roots([](int size, int root) {
    Interpreter run(size, [&](int rank) { return reduce_binomial(rank, size, root); });
    for (int rank = 0; rank < size; ++rank) run.array(rank, Place::Input)[0] = {rank};
    run.run();
    EXPECT_EQ(sorted(run.array(root, Place::Output)[0]), all_ranks(size));
  });
}

TEST(RootedSchedule, OrderedReduceCombinesInRankOrder) {
  for_all_roots([](int size, int root) {
    Interpreter run(size, [&](int rank) { return reduce_ordered(rank, size, root); });
    for (int rank = 0; rank < size; ++rank) run.array(rank, Place::Input)[0] = {rank};
    run.run();
    EXPECT_EQ(run.array(root, Place::Output)[0], all_ranks(size));
  });
}

TEST(RootedSchedule, GathersPutEveryBlockInItsPlace) {
  for_all_roots([](int size, int root) {
    for (const auto algorithm : {gather_binomial, gather_linear}) {
      Interpreter run(size, [&](int rank) { return algorithm(rank, size, root); });
      for (int rank = 0; rank < size; ++rank) run.array(rank, Place::Input)[0] = {rank};
      run.run();
      for (int block = 0; block < size; ++block) {
        EXPECT_EQ(run.array(root, Place::Output)[index(block)], Value{block});
      }
    }
  });
}

TEST(RootedSchedule, ScattersGiveEveryRankItsBlock) {
  for_all_roots([](int size, int root) {
    for (const auto algorithm : {scatter_binomial, scatter_linear}) {
      Interpreter run(size, [&](int rank) { return algorithm(rank, size, root); });
      for (int block = 0; block < size; ++block) run.array(root, Place::Input)[index(block)] = {block};
      run.run();
      for (int rank = 0; rank < size; ++rank) EXPECT_EQ(run.array(rank, Place::Output)[0], Value{rank});
    }
  });
}

TEST(Schedule, DisseminationBarrierMakesEveryRankWaitForEveryOther) {
  for_all_sizes([](int size) {
    // Let a rank know of those whose messages it has received, directly or through others.
    std::vector<Schedule> schedules;
    for (int rank = 0; rank < size; ++rank) schedules.push_back(barrier_dissemination(rank, size));
    std::vector<std::vector<bool>> knows(index(size), std::vector<bool>(index(size)));
    for (int rank = 0; rank < size; ++rank) knows[index(rank)][index(rank)] = true;
    for (std::size_t round = 0; round < schedules.front().size(); ++round) {
      const auto before = knows;
      for (int rank = 0; rank < size; ++rank) {
        for (const Transfer& transfer : schedules[index(rank)][round].transfers) {
          if (transfer.direction != Transfer::Direction::Receive) continue;
          for (int other = 0; other < size; ++other) {
            if (before[index(transfer.peer)][index(other)]) knows[index(rank)][index(other)] = true;
          }
        }
      }
    }
    for (const auto& row : knows) EXPECT_TRUE(std::all_of(row.begin(), row.end(), [](bool known) { return known; }));
    EXPECT_EQ(schedules.front().size(), log2_ceiling(size));
  });
}

TEST(Schedule, RecursiveDoublingAllreduceCombinesInRankOrderOnEveryRank) {
  for_all_sizes([](int size) {
    Interpreter run(size, [&](int rank) { return allreduce_recursive_doubling(rank, size); });
    for (int rank = 0; rank < size; ++rank) run.array(rank, Place::Input)[0] = {rank};
    run.run();
    for (int rank = 0; rank < size; ++rank) EXPECT_EQ(run.array(rank, Place::Output)[0], all_ranks(size)) << rank;
  });
}

TEST(Schedule, RingAllreduceGivesEveryRankTheSameCombinationOfEveryBlock) {
  for_all_sizes([](int size) {
    Interpreter run(size, [&](int rank) { return allreduce_ring(rank, size); });
    for (int rank = 0; rank < size; ++rank) {
      for (int block = 0; block < size; ++block) run.array(rank, Place::Input)[index(block)] = {rank};
    }
    run.run();
    for (int block = 0; block < size; ++block) {
      const Value first = run.array(0, Place::Output)[index(block)];
      EXPECT_EQ(sorted(first), all_ranks(size));
      for (int rank = 1; rank < size; ++rank) EXPECT_EQ(run.array(rank, Place::Output)[index(block)], first);
    }
  });
}

TEST(Schedule, ScanCombinesThePrefixInRankOrder) {
  for_all_sizes([](int size) {
    Interpreter run(size, [&](int rank) { return scan_doubling(rank, size); });
    for (int rank = 0; rank < size; ++rank) run.array(rank, Place::Input)[0] = {rank};
    run.run();
    for (int rank = 0; rank < size; ++rank) EXPECT_EQ(run.array(rank, Place::Output)[0], all_ranks(rank + 1));
  });
}

TEST(Schedule, AllgathersGiveEveryRankEveryBlock) {
  for_all_sizes([](int size) {
    for (const bool ring : {true, false}) {
      Interpreter run(size, [&](int rank) { return ring ? allgather_ring(rank, size) : allgather_bruck(rank, size); });
      for (int rank = 0; rank < size; ++rank) run.array(rank, Place::Input)[0] = {rank};
      run.run();
      for (int rank = 0; rank < size; ++rank) {
        for (int block = 0; block < size; ++block) {
          EXPECT_EQ(run.array(rank, Place::Output)[index(block)], Value{block}) << rank;
        }
      }
    }
  });
}

TEST(Schedule, BruckAllgatherTakesLogarithmicallyManyTransfers) {
  for_all_sizes([](int size) {
    for (int rank = 0; rank < size; ++rank) {
      std::size_t sends = 0;
      for (const Round& round : allgather_bruck(rank, size)) {
        for (const Transfer& transfer : round.transfers) sends += transfer.direction == Transfer::Direction::Send;
      }
      EXPECT_EQ(sends, log2_ceiling(size));
    }
  });
}

TEST(Schedule, PairwiseAlltoallTransposes) {
  for_all_sizes([](int size) {
    Interpreter run(size, [&](int rank) { return alltoall_pairwise(rank, size); });
    for (int rank = 0; rank < size; ++rank) {
      for (int to = 0; to < size; ++to) run.array(rank, Place::Input)[index(to)] = {rank, to};
    }
    run.run();
    for (int rank = 0; rank < size; ++rank) {
      for (int from = 0; from < size; ++from) {
        EXPECT_EQ(run.array(rank, Place::Output)[index(from)], (Value{from, rank}));
      }
    }
  });
}

/// Ranks in slots of one router.
Placement in_one_router(int size) {
  std::vector<tidings_endpoint> members;
  for (int i = 0; i < size; ++i) members.push_back({0, static_cast<std::uint8_t>(i)});
  return {Grid(tidings_grid{}), std::move(members), 8};
}

/// A rank in each router of a mesh, in the order of the routers, or in another one.
Placement on_mesh(std::uint16_t width, std::uint16_t height, bool mixed = false) {
  tidings_grid grid{};
  grid.dimensions = 2;
  grid.radix[0] = width;
  grid.radix[1] = height;
  constexpr unsigned kHalfAddress = 6;
  std::vector<tidings_endpoint> members;
  for (unsigned y = 0; y < height; ++y) {
    for (unsigned x = 0; x < width; ++x) members.push_back({static_cast<std::uint16_t>(x | y << kHalfAddress), 0});
  }
  if (mixed) std::reverse(members.begin() + 1, members.end());
  return {Grid(grid), std::move(members), 8};
}

/// Meshes of all kinds: lines, even, odd, not square.
std::vector<Placement> meshes() {
  std::vector<Placement> all;
  for (const auto& [width, height] : {std::pair{5, 1}, {1, 4}, {2, 2}, {3, 3}, {3, 5}, {5, 4}}) {
    all.push_back(on_mesh(static_cast<std::uint16_t>(width), static_cast<std::uint16_t>(height)));
  }
  all.push_back(on_mesh(4, 3, true));
  return all;
}

/// Ranks at the routers of a square, of which each has up to four: one router after the other, or in turn.
Placement on_nodes(unsigned ranks, bool in_turn) {
  constexpr unsigned kSide = 2;
  constexpr unsigned kSlots = 4;
  constexpr unsigned kHalfAddress = 6;
  tidings_grid grid{};
  grid.dimensions = 2;
  grid.radix[0] = grid.radix[1] = kSide;
  std::vector<tidings_endpoint> members;
  for (unsigned i = 0; i < ranks; ++i) {
    const unsigned node = in_turn ? i % (kSide * kSide) : i / kSlots;
    const unsigned slot = in_turn ? i / (kSide * kSide) : i % kSlots;
    members.push_back(
        {static_cast<std::uint16_t>(node % kSide | (node / kSide) << kHalfAddress), static_cast<std::uint8_t>(slot)});
  }
  return {Grid(grid), std::move(members), 8};
}

/// Blocks of a vector in a schedule of an algorithm.
int blocks_of(const Algorithm& algorithm, int size) { return algorithm.cut == Cut::PerRank ? size : 1; }

/// The first, the last and one between.
std::set<int> some_of(int size) { return {0, size / 2, size - 1}; }

/// Run test for every algorithm of a collective, in routers of all sizes and on meshes, and some of their roots.
void for_all_algorithms(Collective family,
                        const std::function<void(const Algorithm&, const Placement&, int root)>& test) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != family) continue;
    SCOPED_TRACE(algorithm.name);
    const auto on = [&](const Placement& placement, bool rectangle) {
      for (const int root : some_of(static_cast<int>(placement.size()))) {
        try {
          test(algorithm, placement, root);
        } catch (const Impossible&) {
          EXPECT_TRUE(algorithm.name == "gray" || algorithm.name == "exchange" ||
                      (algorithm.needs.rectangle && !rectangle));
        }
      }
    };
    for_all_sizes([&](int size) { on(in_one_router(size), false); });
    for (const Placement& mesh : meshes()) {
      SCOPED_TRACE("mesh of " + std::to_string(mesh.size()));
      on(mesh, true);
    }
    for (const unsigned ranks : {6U, 11U, 16U}) {
      for (const bool in_turn : {false, true}) {
        SCOPED_TRACE(std::to_string(ranks) + " ranks at routers of four" + (in_turn ? ", in turn" : ""));
        on(on_nodes(ranks, in_turn), false);
      }
    }
  }
}

TEST(Registered, BroadcastsReachEveryRank) {
  for_all_algorithms(Collective::Bcast, [](const Algorithm& algorithm, const Placement& placement, int root) {
    const int size = static_cast<int>(placement.size());
    Interpreter run(size, [&](int rank) { return algorithm.schedule(placement, rank, root); });
    const int blocks = blocks_of(algorithm, size);
    for (int block = 0; block < blocks; ++block) run.array(root, Place::Output)[index(block)] = {block};
    run.run();
    for (int rank = 0; rank < size; ++rank) {
      for (int block = 0; block < blocks; ++block) {
        EXPECT_EQ(run.array(rank, Place::Output)[index(block)], Value{block}) << rank;
      }
    }
  });
}

TEST(Registered, ReductionsCombineEveryContributionOnceAndInOrderUnlessTheyNeedACommutativeOperation) {
  for (const Collective family : {Collective::Reduce, Collective::Allreduce}) {
    for_all_algorithms(family, [family](const Algorithm& algorithm, const Placement& placement, int root) {
      const int size = static_cast<int>(placement.size());
      Interpreter run(size, [&](int rank) { return algorithm.schedule(placement, rank, root); });
      const int blocks = blocks_of(algorithm, size);
      for (int rank = 0; rank < size; ++rank) {
        for (int block = 0; block < blocks; ++block) run.array(rank, Place::Input)[index(block)] = {rank};
      }
      run.run();
      for (int rank = 0; rank < size; ++rank) {
        if (family == Collective::Reduce && rank != root) continue;
        for (int block = 0; block < blocks; ++block) {
          const Value value = run.array(rank, Place::Output)[index(block)];
          EXPECT_EQ(algorithm.needs.commutative ? sorted(value) : value, all_ranks(size)) << rank;
          // All ranks have combined in the same order, so they have the same bits.
          if (algorithm.name != "exchange") {
            EXPECT_EQ(value, run.array(root, Place::Output)[index(block)]);
          }
        }
      }
    });
  }
}

TEST(Registered, BarriersMakeEveryRankWaitForEveryOther) {
  for_all_algorithms(Collective::Barrier, [](const Algorithm& algorithm, const Placement& placement, int root) {
    const int size = static_cast<int>(placement.size());
    // A rank that does not come holds up all others.
    for (const int absent : some_of(size)) {
      std::vector<Schedule> schedules;
      for (int rank = 0; rank < size; ++rank) schedules.push_back(algorithm.schedule(placement, rank, root));
      std::vector<std::size_t> round(index(size), 0);
      std::map<std::pair<int, int>, int> sent;
      std::map<std::pair<int, int>, int> taken;
      std::vector<bool> out(index(size), false);
      for (bool moved = true; moved;) {
        moved = false;
        for (int rank = 0; rank < size; ++rank) {
          if (rank == absent || round[index(rank)] == schedules[index(rank)].size()) continue;
          const Round& now = schedules[index(rank)][round[index(rank)]];
          bool ready = true;
          for (const Transfer& transfer : now.transfers) {
            if (transfer.direction == Transfer::Direction::Send) {
              if (!out[index(rank)]) ++sent[{rank, transfer.peer}];
            } else if (sent[{transfer.peer, rank}] <= taken[{transfer.peer, rank}]) {
              ready = false;
            }
          }
          out[index(rank)] = true;
          if (!ready) continue;
          for (const Transfer& transfer : now.transfers) {
            if (transfer.direction == Transfer::Direction::Receive) ++taken[{transfer.peer, rank}];
          }
          out[index(rank)] = false;
          ++round[index(rank)];
          moved = true;
        }
      }
      for (int rank = 0; rank < size; ++rank) {
        if (rank == absent) continue;
        EXPECT_LT(round[index(rank)], schedules[index(rank)].size()) << rank << " did not wait for " << absent;
      }
    }
  });
}

TEST(Registered, ScansCombineThePrefixInRankOrder) {
  for (const Collective family : {Collective::Scan, Collective::Exscan}) {
    for_all_algorithms(family, [family](const Algorithm& algorithm, const Placement& placement, int root) {
      if (root != 0) return;
      const int size = static_cast<int>(placement.size());
      Interpreter run(size, [&](int rank) { return algorithm.schedule(placement, rank, root); });
      for (int rank = 0; rank < size; ++rank) run.array(rank, Place::Input)[0] = {rank};
      run.run();
      const int own = family == Collective::Scan ? 1 : 0;
      for (int rank = 0; rank < size; ++rank) {
        EXPECT_EQ(run.array(rank, Place::Output)[0], all_ranks(rank + own)) << rank;
      }
    });
  }
}

TEST(Registered, AllgathersGiveEveryRankEveryBlock) {
  for_all_algorithms(Collective::Allgather, [](const Algorithm& algorithm, const Placement& placement, int root) {
    if (root != 0) return;
    const int size = static_cast<int>(placement.size());
    Interpreter run(size, [&](int rank) { return algorithm.schedule(placement, rank, root); });
    for (int rank = 0; rank < size; ++rank) run.array(rank, Place::Input)[0] = {rank};
    run.run();
    for (int rank = 0; rank < size; ++rank) {
      for (int block = 0; block < size; ++block) {
        EXPECT_EQ(run.array(rank, Place::Output)[index(block)], Value{block}) << rank;
      }
    }
  });
}

TEST(Registered, ReduceScattersGiveEveryRankItsBlockOfAll) {
  for_all_algorithms(Collective::ReduceScatter, [](const Algorithm& algorithm, const Placement& placement, int root) {
    if (root != 0) return;
    const int size = static_cast<int>(placement.size());
    Interpreter run(size, [&](int rank) { return algorithm.schedule(placement, rank, root); });
    for (int rank = 0; rank < size; ++rank) {
      for (int block = 0; block < size; ++block) run.array(rank, Place::Input)[index(block)] = {100 * block + rank};
    }
    run.run();
    for (int rank = 0; rank < size; ++rank) {
      Value expected = all_ranks(size);
      for (int& each : expected) each += 100 * rank;
      const Value value = run.array(rank, Place::Output)[0];
      EXPECT_EQ(algorithm.needs.commutative ? sorted(value) : value, expected) << rank;
    }
  });
}

TEST(Registered, AlltoallsTranspose) {
  for_all_algorithms(Collective::Alltoall, [](const Algorithm& algorithm, const Placement& placement, int root) {
    if (root != 0) return;
    const int size = static_cast<int>(placement.size());
    Interpreter run(size, [&](int rank) { return algorithm.schedule(placement, rank, root); });
    for (int rank = 0; rank < size; ++rank) {
      for (int to = 0; to < size; ++to) run.array(rank, Place::Input)[index(to)] = {rank, to};
    }
    run.run();
    for (int rank = 0; rank < size; ++rank) {
      for (int from = 0; from < size; ++from) {
        EXPECT_EQ(run.array(rank, Place::Output)[index(from)], (Value{from, rank}));
      }
    }
  });
}

/// Rounds of rank 0 that are followed by a barrier of `barrier` rounds.
std::size_t rounds_between_barriers(const Placement& placement, bool latin) {
  const std::size_t all = alltoall_in_rounds(0, placement, latin).size() - 1;  // without the copy
  const std::size_t barrier = barrier_mesh_tree(0, placement, 3).size();
  EXPECT_EQ(all % (1 + barrier), 0U);
  return all / (1 + barrier);
}

TEST(Mesh, AlltoallHasTheRoundsThatTheCompletedAlgorithmHas) {
  const auto expect = [](std::uint16_t width, std::uint16_t height, std::size_t product, std::size_t latin) {
    EXPECT_EQ(rounds_between_barriers(on_mesh(width, height), false), product) << width << " x " << height;
    EXPECT_EQ(rounds_between_barriers(on_mesh(width, height), true), latin) << width << " x " << height;
  };
  expect(4, 4, 40, 36);
  expect(5, 5, 84, 68);
  expect(5, 6, 123, 95);
  expect(6, 6, 180, 128);
  expect(7, 7, 312, 200);
  expect(8, 8, 544, 312);
}

TEST(Mesh, RoundsOfAlltoallAreFreeOfContention) {
  std::vector<Placement> all = meshes();
  all.push_back(on_mesh(8, 8));
  for (const Placement& mesh : all) {
    const Rectangle grid(mesh);
    const auto size = static_cast<int>(mesh.size());
    const std::size_t barrier = barrier_mesh_tree(0, mesh, 3).size();
    for (const bool latin : {false, true}) {
      std::vector<Schedule> schedules;
      std::vector<std::size_t> stride;
      for (int rank = 0; rank < size; ++rank) {
        schedules.push_back(alltoall_in_rounds(rank, mesh, latin));
        stride.push_back(1 + barrier_mesh_tree(rank, mesh, 3).size());
      }
      for (std::size_t round = 0; round < (schedules[0].size() - 1) / (1 + barrier); ++round) {
        std::set<std::pair<int, int>> taken;  // place, direction
        for (int rank = 0; rank < size; ++rank) {
          for (const Transfer& transfer : schedules[index(rank)][1 + round * stride[index(rank)]].transfers) {
            if (transfer.direction != Transfer::Direction::Send) continue;
            int x = grid.x(rank);
            int y = grid.y(rank);
            while (x != grid.x(transfer.peer) || y != grid.y(transfer.peer)) {
              const int dx = (grid.x(transfer.peer) > x) - (grid.x(transfer.peer) < x);
              const int dy = dx != 0 ? 0 : (grid.y(transfer.peer) > y) - (grid.y(transfer.peer) < y);
              EXPECT_TRUE(taken.insert({grid.at(x, y), 3 * dx + dy}).second) << "round " << round;
              x += dx;
              y += dy;
            }
          }
        }
      }
    }
  }
}

TEST(Mesh, BarrierTreeHasThreeChildrenAndFourAtItsCentreAndJoinsNeighbours) {
  for (const Placement& mesh : meshes()) {
    const Rectangle grid(mesh);
    const int centre = grid.at(grid.width() / 2, grid.height() / 2);
    for (int rank = 0; rank < static_cast<int>(mesh.size()); ++rank) {
      std::set<int> peers;
      for (const Round& round : barrier_mesh_tree(rank, mesh, 3)) {
        for (const Transfer& transfer : round.transfers) peers.insert(transfer.peer);
      }
      EXPECT_LE(peers.size(), 4U);
      for (const int peer : peers) EXPECT_EQ(mesh.hops(static_cast<Member>(rank), static_cast<Member>(peer)), 1U);
      // Only the root sends nothing before it has received from all others that it knows.
      const Schedule schedule = barrier_mesh_tree(rank, mesh, 3);
      const auto sends = [](const Round& round) {
        return round.transfers.front().direction == Transfer::Direction::Send;
      };
      const auto first_send = std::find_if(schedule.begin(), schedule.end(), sends) - schedule.begin();
      EXPECT_EQ(first_send == static_cast<std::ptrdiff_t>(peers.size()), rank == centre) << rank;
    }
  }
}

TEST(Mesh, MoreChildrenMakeTheBarrierTreeFlatter) {
  const auto depth = [](int arity) {
    const Placement line = on_mesh(16, 1);
    int most = 0;
    for (int rank = 0; rank < 16; ++rank) {
      int levels = 0;
      for (int member = rank; member != 8; ++levels) {
        for (const Round& round : barrier_mesh_tree(member, line, arity)) {
          if (round.transfers.front().direction != Transfer::Direction::Send) continue;
          member = round.transfers.front().peer;  // the first that it sends to is its parent
          break;
        }
      }
      most = std::max(most, levels);
    }
    return most;
  };
  EXPECT_EQ(depth(3), 8);  // a chain on either side
  EXPECT_EQ(depth(6), 3);  // binary trees
}

TEST(Mesh, GroupsThatFillNoRectangleAreRefused) {
  tidings_grid grid{};
  grid.dimensions = 2;
  grid.radix[0] = grid.radix[1] = 4;
  const auto refused = [&](std::vector<tidings_endpoint> members) {
    try {
      static_cast<void>(Rectangle({Grid(grid), std::move(members), 8}));
      return false;
    } catch (const Impossible&) {
      return true;
    }
  };
  EXPECT_TRUE(refused({{0, 0}, {1, 0}, {64, 0}}));  // a corner is missing
  EXPECT_TRUE(refused({{0, 0}, {0, 1}}));           // two in one router
  EXPECT_TRUE(refused({{0, 0}, {2, 0}}));           // not next to one another
  EXPECT_FALSE(refused({{65, 0}, {66, 0}, {130, 0}, {129, 0}}));
}

// ---------------------------------------------------------------- between two groups

constexpr int kMostInGroup = 6;

/// Two groups: the first one's ranks come first in the communicator of both.
struct Both {
  int first, second;
  [[nodiscard]] int size() const { return first + second; }
  [[nodiscard]] bool in_first(int rank) const { return rank < first; }
  [[nodiscard]] TwoGroups seen_by(int rank) const {
    return in_first(rank) ? TwoGroups{rank, first, second, 0, first} : TwoGroups{rank - first, second, first, first, 0};
  }
  /// In the communicator of both, the ranks of the group that a rank is not in.
  [[nodiscard]] Value others(int rank) const {
    Value ranks(static_cast<std::size_t>(in_first(rank) ? second : first));
    std::iota(ranks.begin(), ranks.end(), in_first(rank) ? first : 0);
    return ranks;
  }
};

void for_all_groups(const std::function<void(const Both&)>& test) {
  for (int first = 1; first <= kMostInGroup; ++first) {
    for (int second = 1; second <= kMostInGroup; ++second) {
      SCOPED_TRACE("groups of " + std::to_string(first) + " and " + std::to_string(second));
      test({first, second});
    }
  }
}

/// Run test for all groups, with each rank of both as the root. It makes an interpreter of schedules with a root.
using Rooted = std::function<Schedule(const TwoGroups& groups, RootedPart part, int root)>;
void for_all_roots_of_groups(const Rooted& algorithm,
                             const std::function<void(const Both&, int root, Interpreter&)>& test) {
  for_all_groups([&](const Both& both) {
    for (int root = 0; root < both.size(); ++root) {
      SCOPED_TRACE("root " + std::to_string(root));
      Interpreter run(both.size(), [&](int rank) {
        const auto part = rank == root                                 ? RootedPart::Root
                          : both.in_first(rank) == both.in_first(root) ? RootedPart::Bystander
                                                                       : RootedPart::Partner;
        return algorithm(both.seen_by(rank), part, both.seen_by(root).rank);
      });
      test(both, root, run);
    }
  });
}

TEST(BetweenGroups, BroadcastReachesEveryRankOfTheOtherGroup) {
  for_all_roots_of_groups(inter_broadcast, [](const Both& both, int root, Interpreter& run) {
    run.array(root, Place::Output)[0] = {99};
    run.run();
    for (const int rank : both.others(root)) EXPECT_EQ(run.array(rank, Place::Output)[0], Value{99}) << rank;
  });
}

TEST(BetweenGroups, ReduceGivesTheRootWhatTheOtherGroupHas) {
  for (const bool commutative : {false, true}) {
    const auto algorithm = [&](const TwoGroups& groups, RootedPart part, int root) {
      return inter_reduce(groups, part, root, commutative);
    };
    for_all_roots_of_groups(algorithm, [&](const Both& both, int root, Interpreter& run) {
      for (int rank = 0; rank < both.size(); ++rank) run.array(rank, Place::Input)[0] = {rank};
      run.run();
      const Value result = run.array(root, Place::Output)[0];
      EXPECT_EQ(commutative ? sorted(result) : result, both.others(root));
    });
  }
}

TEST(BetweenGroups, AllreduceGivesEachGroupWhatTheOtherOneHas) {
  for (const bool commutative : {false, true}) {
    for_all_groups([&](const Both& both) {
      Interpreter run(both.size(), [&](int rank) { return inter_allreduce(both.seen_by(rank), commutative); });
      for (int rank = 0; rank < both.size(); ++rank) run.array(rank, Place::Input)[0] = {rank};
      run.run();
      for (int rank = 0; rank < both.size(); ++rank) {
        const Value result = run.array(rank, Place::Output)[0];
        EXPECT_EQ(commutative ? sorted(result) : result, both.others(rank)) << rank;
      }
    });
  }
}

TEST(BetweenGroups, GatherAndScatterMoveEachBlockBetweenItsRankAndTheRoot) {
  for_all_roots_of_groups(inter_gather, [](const Both& both, int root, Interpreter& run) {
    for (int rank = 0; rank < both.size(); ++rank) run.array(rank, Place::Input)[0] = {rank};
    run.run();
    std::uint32_t block = 0;
    for (const int rank : both.others(root)) EXPECT_EQ(run.array(root, Place::Output)[block++], Value{rank});
  });
  for_all_roots_of_groups(inter_scatter, [](const Both& both, int root, Interpreter& run) {
    std::uint32_t block = 0;
    for (const int rank : both.others(root)) run.array(root, Place::Input)[block++] = {rank};
    run.run();
    for (const int rank : both.others(root)) EXPECT_EQ(run.array(rank, Place::Output)[0], Value{rank});
  });
}

TEST(BetweenGroups, AllgatherAndAlltoallGiveEveryRankABlockOfEachOfTheOtherGroup) {
  for_all_groups([](const Both& both) {
    Interpreter gather(both.size(), [&](int rank) { return inter_allgather(both.seen_by(rank)); });
    Interpreter exchange(both.size(), [&](int rank) { return inter_alltoall(both.seen_by(rank)); });
    for (int rank = 0; rank < both.size(); ++rank) {
      gather.array(rank, Place::Input)[0] = {rank};
      std::uint32_t block = 0;
      for (const int other : both.others(rank)) exchange.array(rank, Place::Input)[block++] = {rank, other};
    }
    gather.run();
    exchange.run();
    for (int rank = 0; rank < both.size(); ++rank) {
      std::uint32_t block = 0;
      for (const int other : both.others(rank)) {
        EXPECT_EQ(gather.array(rank, Place::Output)[block], Value{other}) << rank;
        EXPECT_EQ(exchange.array(rank, Place::Output)[block++], (Value{other, rank})) << rank;
      }
    }
  });
}

TEST(BetweenGroups, ReduceScatterGivesEveryRankItsBlockOfWhatTheOtherGroupHas) {
  constexpr std::uint32_t kMarks = 100;  // behind all that the schedule uses
  for (const bool commutative : {false, true}) {
    for_all_groups([&](const Both& both) {
      Interpreter run(both.size(), [&](int rank) {
        const TwoGroups groups = both.seen_by(rank);
        auto [schedule, vectors] = inter_reduce_scatter(groups, commutative);
        if (groups.rank != 0) return schedule;
        // The blocks are those of the last vector. Here, each is the vector with a mark of the block's own.
        for (std::uint32_t i = 0; i < index(groups.local); ++i) {
          const Range block{Place::Scratch, vectors + i, 1};
          auto& steps = schedule[schedule.size() - 2].steps;
          steps.push_back({LocalStep::Kind::Copy, {Place::Scratch, vectors - 1, 1}, block});
          steps.push_back({LocalStep::Kind::CombineAfter, {Place::Scratch, kMarks + i, 1}, block});
        }
        return schedule;
      });
      for (int rank = 0; rank < both.size(); ++rank) {
        run.array(rank, Place::Input)[0] = {rank};
        for (std::uint32_t i = 0; i < kMostInGroup; ++i) {
          run.array(rank, Place::Scratch)[kMarks + i] = {static_cast<int>(kMarks + i)};
        }
      }
      run.run();
      for (int rank = 0; rank < both.size(); ++rank) {
        Value expected = both.others(rank);
        expected.push_back(static_cast<int>(kMarks) + both.seen_by(rank).rank);
        const Value result = run.array(rank, Place::Output)[0];
        EXPECT_EQ(commutative ? sorted(result) : result, expected) << rank;
      }
    });
  }
}

TEST(ScratchBlocks, CoverWhatTheScheduleUses) {
  EXPECT_EQ(scratch_blocks(barrier_dissemination(0, 8)), 0U);
  EXPECT_EQ(scratch_blocks(reduce_binomial(0, 8, 0)), 1U);
  EXPECT_EQ(scratch_blocks(gather_binomial(0, 6, 0)), 6U);
  EXPECT_EQ(scratch_blocks(gather_binomial(4, 6, 0)), 2U);
}

}  // namespace
}  // namespace tidings
