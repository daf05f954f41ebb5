// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "coll/word_program.h"
#include "coll/word_schedule.h"
#include "coll/word_schedule_check.h"

namespace tidings {
namespace {

constexpr std::uint32_t kEffort = 10'000;

TEST(WordSchedule, IsRightOnMeshesOfAllKinds) {
  for (const auto& [width, height] : {std::pair{2U, 1U}, {1U, 5U}, {2U, 2U}, {3U, 2U}, {3U, 3U}, {4U, 4U}, {6U, 3U}}) {
    const WordSchedule found = find_word_schedule(width, height, kEffort);
    const std::uint32_t bound = word_schedule_bound(width, height);
    EXPECT_GE(found.cycles, bound + 2) << width << " x " << height;
    EXPECT_LE(found.cycles, bound + 5) << width << " x " << height;
    for (const std::uint32_t repetitions : {1U, 3U}) {
      for (const std::uint32_t room : {1U, 8U}) {
        EXPECT_EQ(word_schedule_mistake(found, repetitions, room), "") << width << " x " << height;
      }
    }
  }
}

TEST(WordSchedule, ReachesTheBoundWithOneCycleIntoTheMeshAndOneOutOfIt) {
  const WordSchedule rectangle = find_word_schedule(5, 6, kEffort);
  EXPECT_EQ(std::pair(rectangle.cycles, rectangle.period), std::pair(47U, 45U));
  const WordSchedule square = find_word_schedule(6, 6, kEffort);
  EXPECT_EQ(std::pair(square.cycles, square.period), std::pair(57U, 54U));
  EXPECT_EQ(word_schedule_mistake(square, 3, 2), "");
}

/// Without ties between words that end and words that begin in the middle, this effort does not do.
TEST(WordSchedule, OfAnOddSquareTakesFourCyclesMoreThanTheBoundAndRepeatsAfterIt) {
  const WordSchedule found = find_word_schedule(9, 9, 500'000);
  EXPECT_EQ(std::pair(found.cycles, found.period), std::pair(184U, 180U));
  EXPECT_EQ(word_schedule_mistake(found, 3, 2), "");
}

/// Sides of 2 to 16, even, odd, and unequal.
TEST(WordSchedule, IsAtMostFourCyclesLongerThanTheBound) {
  for (const auto& [width, height] : {std::pair{10U, 10U}, {12U, 12U}, {8U, 4U}, {4U, 9U}, {13U, 2U}, {3U, 16U}}) {
    const WordSchedule found = find_word_schedule(width, height, 1'000'000);
    const std::uint32_t bound = word_schedule_bound(width, height);
    EXPECT_LE(found.cycles, bound + 4) << width << " x " << height;
    EXPECT_EQ(found.period, bound) << width << " x " << height;
    EXPECT_EQ(word_schedule_mistake(found, 3, 2), "") << width << " x " << height;
  }
}

SwitchGrid torus(std::uint32_t width, std::uint32_t height = 1, std::uint32_t depth = 1) {
  return {.size = {width, height, depth}, .rings = 7};
}

/// Also of two routers, odd and even, of unequal sides, and of three dimensions.
TEST(WordSchedule, NoneOfARingOrATorusOfTheseIsShorterAndNoneRepeatsSooner) {
  for (const SwitchGrid& grid :
       {torus(2), torus(3), torus(4), torus(5), torus(6), torus(9), torus(10), torus(16), torus(3, 3), torus(4, 4),
        torus(2, 5), torus(5, 6), torus(6, 6), torus(8, 4), torus(4, 4, 4), torus(3, 2, 4)}) {
    const WordSchedule found = find_word_schedule(grid, 100'000);
    const auto [width, height, depth] = grid.size;
    SCOPED_TRACE(testing::Message() << width << " x " << height << " x " << depth);
    EXPECT_EQ(found.cycles, word_schedule_least(grid, 1));
    EXPECT_EQ(found.period, word_schedule_period(grid));
    for (const std::uint32_t room : {2U, 8U}) EXPECT_EQ(word_schedule_mistake(found, 3, room), "");
    EXPECT_EQ(word_schedule_mistake(quick_word_schedule(grid), 3, 2), "");
  }
}

/// Half of the bound of a mesh's links, or less.
TEST(WordSchedule, ATorusTakesHalfAsLongAsAMesh) {
  EXPECT_EQ(word_schedule_bound(torus(8, 8)), 64U);
  EXPECT_EQ(word_schedule_bound(torus(16, 16)), 512U);
  EXPECT_EQ(word_schedule_bound(torus(8)), 8U);
  EXPECT_EQ(word_schedule_bound(torus(10)), 13U);  // 12.5 on average
  EXPECT_EQ(word_schedule_bound(torus(4, 4, 4)), 63U);
  const WordSchedule found = find_word_schedule(torus(8, 8), 100'000);
  EXPECT_LE(found.cycles, 80U);
  EXPECT_EQ(word_schedule_mistake(found, 3, 2), "");
  EXPECT_LE(quick_word_schedule(torus(16, 16)).cycles, 600U);
}

/// One side is a ring, the other one a line: a part of a torus.
TEST(WordSchedule, IsRightIfOneDimensionIsARing) {
  for (const std::uint32_t rings : {1U, 2U}) {
    const SwitchGrid grid{.size = {4, 3, 1}, .rings = rings};
    const WordSchedule found = find_word_schedule(grid, kEffort);
    EXPECT_EQ(word_schedule_mistake(found, 3, 2), "");
    EXPECT_LE(found.cycles, word_schedule_bound(grid) + 6);
    EXPECT_EQ(word_schedule_mistake(quick_word_schedule(grid), 2, 2), "");
  }
}

/// Words on long links fill buffers: with too little room, switches of a ring wait for one another.
TEST(WordSchedule, OfLongLinksNeedsRoomForWhatIsUnderWay) {
  SwitchGrid grid = torus(4, 4);
  grid.hop = 3;
  const WordSchedule found = find_word_schedule(grid, 100'000);
  EXPECT_EQ(found.cycles, word_schedule_least(grid, 1));
  EXPECT_EQ(word_schedule_mistake(found, 3, 4), "");
  EXPECT_NE(word_schedule_mistake(found, 3, 2).find("circle"), std::string::npos);
}

TEST(WordSchedule, ASearchThatIsEndedHasTheBestSoFar) {
  std::uint32_t placed = 0;
  const WordSchedule found = find_word_schedule(8, 8, kEffort, [&] { return ++placed < 5'000; });
  EXPECT_GT(found.cycles, word_schedule_bound(8, 8) + 3);
  EXPECT_LE(found.cycles, word_schedule_bound(8, 8) + 20);
  EXPECT_EQ(word_schedule_mistake(found, 3, 2), "");
  EXPECT_THROW(static_cast<void>(find_word_schedule(8, 8, kEffort, [] { return false; })), std::invalid_argument);
}

constexpr auto kBoxes = std::to_array<SwitchSize>(
    {{1, 2, 1}, {2, 1, 1}, {2, 2, 1}, {5, 4, 1}, {1, 6, 1}, {8, 8, 1}, {2, 2, 2}, {3, 2, 4}, {1, 3, 3}, {1, 1, 5}});

/// Every node gets the word once, over a tree of shortest ways, and every output's order names the input that sends to
/// it.
TEST(WordProgram, ABroadcastReachesEveryNodeOnceByAShortestWay) {
  for (const SwitchSize& size : kBoxes) {
    const SwitchGrid grid{.size = size};
    const std::uint32_t nodes = grid.nodes();
    for (std::uint32_t root = 0; root < nodes; ++root) {
      std::vector<std::uint32_t> got(nodes, 0);
      std::size_t entries = 0;
      struct Arrival {
        std::uint32_t node, input, hops;
      };
      std::vector<Arrival> arrivals{{root, kSwitchSlot, 0}};
      for (std::size_t i = 0; i < arrivals.size(); ++i) {
        const auto [node, input, hops] = arrivals[i];
        ASSERT_EQ(++got[node], 1U);
        EXPECT_EQ(hops, grid.hops(root, node));
        const WordProgram program = broadcast_program(size, root, node);
        for (const auto& order : program) entries += order.size();
        ASSERT_EQ(program[input].size(), 1U);
        const std::uint8_t set = program[input][0];
        for (std::uint32_t output = 0; output <= kSwitchSlot; ++output) {
          const bool goes = output != input && (set >> (output == kSwitchSlot ? input : output) & 1U) != 0;
          EXPECT_EQ(program[kOutputOrders + output],
                    goes ? std::vector<std::uint8_t>{static_cast<std::uint8_t>(input)} : std::vector<std::uint8_t>{});
          if (!goes || output == kSwitchSlot) continue;
          arrivals.push_back({grid.behind(node, output), output ^ 1U, hops + 1});
        }
        EXPECT_EQ(program[kTargetOrder].size(), node == root ? 1U : 0U);
        EXPECT_EQ(program[kSourceOrder].size(), node == root ? 0U : 1U);
      }
      EXPECT_EQ(arrivals.size(), nodes);
      // An input's order and a target or source at each; an output's order per link of the tree, and to each slot.
      EXPECT_EQ(entries, 2 * nodes + 2 * (nodes - 1));
    }
  }
}

/// Of how many nodes an output sends words in a reduction: its own, and what its summands bring.
std::uint32_t words_sent(const std::vector<WordProgram>& programs, const SwitchGrid& grid, std::uint32_t node,
                         std::uint32_t output) {
  const WordProgram& program = programs[node];
  EXPECT_EQ(program[kTargetOrder].size(), 1U);
  if (program.summands == 0) {
    EXPECT_EQ(program[kSwitchSlot], std::vector<std::uint8_t>{static_cast<std::uint8_t>(1U << output)});
    EXPECT_EQ(program[kOutputOrders + output], std::vector<std::uint8_t>{kSwitchSlot});
    return 1;
  }
  EXPECT_NE(program.outputs >> output & 1U, 0U);
  EXPECT_NE(program.summands >> kSwitchSlot & 1U, 0U);
  EXPECT_TRUE(program[kSwitchSlot].empty() && program[kOutputOrders + output].empty());
  std::uint32_t words = 1;
  for (std::uint32_t port = 0; port < kSwitchSlot; ++port) {
    if ((program.summands >> port & 1U) == 0) continue;
    EXPECT_TRUE(program[port].empty());
    words += words_sent(programs, grid, grid.behind(node, port), port ^ 1U);
  }
  return words;
}

/// Every node's word is added once on its way to the root, and the result of all comes to every node once.
TEST(WordProgram, AReductionAddsEveryNodesWordOnce) {
  for (const SwitchSize& size : kBoxes) {
    const SwitchGrid grid{.size = size};
    const std::uint32_t nodes = grid.nodes();
    std::uint32_t most = 0;
    for (std::uint32_t root = 0; root < nodes; ++root) {
      for (const bool all : {false, true}) {
        std::vector<WordProgram> programs;
        for (std::uint32_t node = 0; node < nodes; ++node) {
          programs.push_back(reduction_program(size, root, node, all));
          most = std::max(most, static_cast<std::uint32_t>(std::popcount(programs[node].summands)));
          EXPECT_EQ(programs[node][kSourceOrder].size(), all || node == root ? 1U : 0U);
        }
        EXPECT_EQ(words_sent(programs, grid, root, kSwitchSlot), nodes);
        if (!all) continue;
        // Back: the outputs of the root, and of others the set of the one input that has an order.
        std::uint32_t got = 0;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> arrivals{{root, kSwitchSlot}};
        for (std::size_t i = 0; i < arrivals.size(); ++i) {
          const auto [node, input] = arrivals[i];
          const WordProgram& program = programs[node];
          std::uint32_t outputs = program.outputs;
          if (node != root) {
            ASSERT_EQ(program[input].size(), 1U);
            const std::uint32_t own = 1U << input;
            outputs = (program[input][0] & ~own) | ((program[input][0] & own) != 0 ? 1U << kSwitchSlot : 0);
          }
          got += outputs >> kSwitchSlot & 1U;
          for (std::uint32_t port = 0; port < kSwitchSlot; ++port) {
            if ((outputs >> port & 1U) != 0) arrivals.emplace_back(grid.behind(node, port), port ^ 1U);
          }
        }
        EXPECT_EQ(got, nodes);
        EXPECT_EQ(arrivals.size(), nodes);
      }
    }
    EXPECT_EQ(most, most_summands(size));
  }
}

/// What a node says of an output, its neighbour says of the input behind it; who sends most is no longer than the
/// bound.
TEST(WordProgram, NeighboursAgree) {
  const WordSchedule schedule = find_word_schedule(5, 4, kEffort);
  std::vector<WordProgram> programs;
  for (std::uint32_t node = 0; node < schedule.nodes(); ++node) programs.push_back(word_program(schedule, node));
  for (std::uint32_t node = 0; node < schedule.nodes(); ++node) {
    const WordProgram& program = programs[node];
    std::size_t in = 0;
    std::size_t out = 0;
    for (std::uint32_t side = 0; side <= kSwitchSlot; ++side) {
      EXPECT_LE(program[side].size(), word_schedule_bound(5, 4));
      in += program[side].size();
      out += program[kOutputOrders + side].size();
      // A word goes to one output.
      for (const std::uint8_t set : program[side]) EXPECT_TRUE(set < 16 && std::has_single_bit(set));
    }
    EXPECT_EQ(in, out);
    EXPECT_EQ(program[kTargetOrder].size(), schedule.nodes() - 1);
    EXPECT_EQ(std::set(program[kSourceOrder].begin(), program[kSourceOrder].end()).size(), schedule.nodes() - 1);
    if (node % 5 != 4) {
      EXPECT_EQ(program[kOutputOrders + 0].size(), programs[node + 1][1].size());
    } else {
      EXPECT_TRUE(program[kOutputOrders + 0].empty());
    }
    if (node >= 5) {
      EXPECT_EQ(program[kOutputOrders + 3].size(), programs[node - 5][2].size());
    }
  }
}

/// On links that close rings, too; no output has more words than the bound.
TEST(WordProgram, NeighboursOnATorusAgree) {
  for (const SwitchGrid& grid : {torus(4, 3), torus(5, 4), torus(6), torus(3, 3, 3), torus(4, 4, 4)}) {
    const WordSchedule schedule = find_word_schedule(grid, 100'000);
    std::vector<WordProgram> programs;
    for (std::uint32_t node = 0; node < grid.nodes(); ++node) programs.push_back(word_program(schedule, node));
    for (std::uint32_t node = 0; node < grid.nodes(); ++node) {
      for (std::uint32_t port = 0; port < kSwitchSlot; ++port) {
        const auto& sent = programs[node][kOutputOrders + port];
        EXPECT_LE(sent.size(), word_schedule_bound(grid));
        if (grid.ring(port / 2)) {
          EXPECT_EQ(sent.size(), programs[grid.behind(node, port)][port ^ 1U].size());
          EXPECT_FALSE(sent.empty());
        } else {
          EXPECT_TRUE(sent.empty());
        }
      }
      EXPECT_EQ(programs[node][kOutputOrders + kSwitchSlot].size(), grid.nodes() - 1);
    }
  }
}

TEST(WordSchedule, ThereIsOneAtOnceOnMeshesOfAllKinds) {
  for (const auto& [width, height] : {std::pair{2U, 1U}, {1U, 5U}, {3U, 3U}, {7U, 7U}, {8U, 8U}, {9U, 12U}}) {
    const WordSchedule found = quick_word_schedule(width, height);
    EXPECT_LE(found.cycles, word_schedule_bound(width, height) * 7 / 6 + 10) << width << " x " << height;
    EXPECT_EQ(word_schedule_mistake(found, 2, 2), "") << width << " x " << height;
  }
  EXPECT_LE(quick_word_schedule(16, 16).cycles, 1'126U);
  EXPECT_THROW(static_cast<void>(quick_word_schedule(17, 16)), std::invalid_argument);
}

TEST(WordSchedule, IsTheSameEveryTime) {
  EXPECT_EQ(find_word_schedule(4, 3, kEffort).start, find_word_schedule(4, 3, kEffort).start);
}

TEST(WordSchedule, MistakesAreFound) {
  const WordSchedule good = find_word_schedule(4, 2, kEffort);
  const auto mistake = [&](auto change) {
    WordSchedule changed = good;
    change(changed);
    return word_schedule_mistake(changed, 3, 2);
  };
  EXPECT_EQ(mistake([](WordSchedule&) {}), "");
  EXPECT_EQ(mistake([](WordSchedule& schedule) { schedule.start.pop_back(); }), "not every pair of nodes has a word");
  EXPECT_NE(mistake([](WordSchedule& schedule) { schedule.cycles -= 1; }).find("after the last cycle"),
            std::string::npos);
  EXPECT_NE(mistake([](WordSchedule& schedule) { schedule.start[1] = schedule.start[2]; }).find("meet at"),
            std::string::npos);
  // Two words that start apart and want one link at one time.
  EXPECT_NE(mistake([](WordSchedule& schedule) {
              schedule.start[0 * 8 + 3] = 0;
              schedule.start[1 * 8 + 3] = 1;
            }).find("meet at"),
            std::string::npos);
  EXPECT_NE(mistake([](WordSchedule& schedule) { schedule.period -= 1; }), "");
}

/// Words that go around a ring in all links at once need room for a second one: with one word of room, each waits for
/// the next one to leave. On a line, the last one can always leave.
TEST(WordSchedule, AWaitAroundARingIsFound) {
  for (const SwitchGrid& grid : {torus(5), torus(8), torus(4, 4), torus(3, 2, 4)}) {
    const WordSchedule found = find_word_schedule(grid, 100'000);
    EXPECT_NE(word_schedule_mistake(found, 3, 1).find("circle"), std::string::npos);
    EXPECT_EQ(word_schedule_mistake(found, 3, 2), "");
  }
  EXPECT_EQ(word_schedule_mistake(find_word_schedule(8, 1, kEffort), 3, 1), "");
}

TEST(WordSchedule, WordsOfOneRepetitionThatOvertakeThoseOfTheNextAreFound) {
  // Two nodes side by side, each with one word: a period of one cycle is right, and a start one later for one of both
  // too.
  WordSchedule two{.width = 3, .height = 1, .period = 4, .cycles = 12, .start = std::vector<std::uint32_t>(9)};
  two.start = {0, 0, 1, 0, 0, 1, 1, 0, 0};
  two.start[2 * 3 + 1] = 6;  // behind a period, so behind words of the next repetition
  EXPECT_NE(word_schedule_mistake(two, 2, 8).find("overtakes"), std::string::npos);
}

TEST(WordSchedule, MeshesThatAreTooSmallOrTooLargeAreRefused) {
  EXPECT_THROW(static_cast<void>(find_word_schedule(1, 1, kEffort)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(find_word_schedule(17, 16, kEffort)), std::invalid_argument);
}

}  // namespace
}  // namespace tidings
