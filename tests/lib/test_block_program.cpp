// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "coll/block_program.h"

namespace tidings {
namespace {

using Programs = std::vector<WordProgram>;

constexpr std::uint32_t kNode = kSwitchSlot;

struct Word {
  std::uint32_t from = 0;
  std::uint32_t block = 0;
  std::uint32_t repetition = 0;
};

/// Static switches that follow programs: each word moves when all outputs that its input names have room and name the
/// input. Slots always have words.
class Switches {
 public:
  Switches(const Programs& programs, const SwitchSize& size, std::uint32_t repetitions, std::uint32_t room,
           unsigned stalls_percent)
      : programs_(programs),
        grid_{.size = size},
        repetitions_(repetitions),
        room_(room),
        stalls_percent_(stalls_percent),
        nodes_(programs.size()) {}

  /// Cycles to the last word. Zero if words are left that never move.
  std::uint32_t run() {
    std::uint32_t idle = 0;
    for (std::uint32_t cycle = 1; idle < 1000; ++cycle) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> moves;
      for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
        for (std::uint32_t input = 0; input <= kNode; ++input) {
          if (goes(node, input) && random_() % 100 >= stalls_percent_) moves.emplace_back(node, input);
        }
      }
      for (const auto& [node, input] : moves) move(node, input);
      idle = moves.empty() ? idle + 1 : 0;
      if (!moves.empty() && over()) return cycle;
    }
    return 0;
  }
  /// What has come to a node's slot.
  [[nodiscard]] const std::vector<Word>& got(std::uint32_t node) const { return nodes_[node].got; }

 private:
  struct Node {
    std::array<std::deque<Word>, kNode> buffers;
    std::array<std::size_t, kTargetOrder> at{};  ///< entries done of each order
    std::vector<Word> got;
  };

  [[nodiscard]] bool left(std::uint32_t node, std::uint32_t order) const {
    return nodes_[node].at[order] < programs_[node][order].size() * repetitions_;
  }
  [[nodiscard]] std::uint8_t entry(std::uint32_t node, std::uint32_t order) const {
    const auto& entries = programs_[node][order];
    return entries[nodes_[node].at[order] % entries.size()];
  }
  [[nodiscard]] static bool names(std::uint8_t set, std::uint32_t input, std::uint32_t output) {
    return output != input && (set >> (output == kNode ? input : output) & 1U) != 0;
  }
  [[nodiscard]] std::uint32_t behind(std::uint32_t node, std::uint32_t port) const { return grid_.behind(node, port); }
  [[nodiscard]] bool goes(std::uint32_t node, std::uint32_t input) const {
    if (!left(node, input) || (input != kNode && nodes_[node].buffers[input].empty())) return false;
    const std::uint8_t set = entry(node, input);
    for (std::uint32_t output = 0; output <= kNode; ++output) {
      if (!names(set, input, output)) continue;
      if (!left(node, kOutputOrders + output) || entry(node, kOutputOrders + output) != input) return false;
      if (output != kNode && nodes_.at(behind(node, output)).buffers[output ^ 1U].size() >= room_) return false;
    }
    return true;
  }
  void move(std::uint32_t node, std::uint32_t input) {
    Node& at = nodes_[node];
    Word word;
    if (input == kNode) {
      const auto& targets = programs_[node][kTargetOrder];
      word = {node, targets[at.at[input] % targets.size()], static_cast<std::uint32_t>(at.at[input] / targets.size())};
    } else {
      word = at.buffers[input].front();
      at.buffers[input].pop_front();
    }
    const std::uint8_t set = entry(node, input);
    ++at.at[input];
    for (std::uint32_t output = 0; output <= kNode; ++output) {
      if (!names(set, input, output)) continue;
      ++at.at[kOutputOrders + output];
      if (output == kNode) {
        at.got.push_back(word);
      } else {
        nodes_[behind(node, output)].buffers[output ^ 1U].push_back(word);
      }
    }
  }
  [[nodiscard]] bool over() const {
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      for (std::uint32_t order = 0; order < kTargetOrder; ++order) {
        if (left(node, order)) return false;
      }
      for (const auto& buffer : nodes_[node].buffers) {
        if (!buffer.empty()) return false;
      }
    }
    return true;
  }

  const Programs& programs_;
  SwitchGrid grid_;
  std::uint32_t repetitions_;
  std::uint32_t room_;
  unsigned stalls_percent_;
  std::vector<Node> nodes_;
  std::minstd_rand random_{1};
};

/// Whose words a node is to get, and of which of their blocks: nothing of itself.
using Expected = std::function<std::vector<std::pair<std::uint32_t, std::uint32_t>>(std::uint32_t node)>;

/// @param scatters words come to block 0, not to that of their node. @param more cycles than a word per cycle takes.
void check(const Programs& programs, const SwitchSize& size, bool scatters, const Expected& expected,
           const std::string& what, std::uint32_t more = 0) {
  const auto others = static_cast<std::uint32_t>(programs.size() - 1);
  for (const WordProgram& program : programs) {
    for (const auto& order : program) ASSERT_LE(order.size(), others) << what;
  }
  for (const auto& [repetitions, room, stalls] :
       {std::array{1U, 8U, 0U}, {2U, 8U, 0U}, {5U, 8U, 0U}, {3U, 2U, 0U}, {3U, 8U, 20U}, {4U, 2U, 30U}}) {
    Switches switches(programs, size, repetitions, room, stalls);
    const std::uint32_t cycles = switches.run();
    ASSERT_NE(cycles, 0U) << what << " stands still, with room for " << room;
    // One cycle into the first switch, and one per word of a slot.
    if (stalls == 0 && room == 8) {
      EXPECT_EQ(cycles, others * repetitions + 1 + more) << what << ", " << repetitions;
    }
    for (std::uint32_t node = 0; node < programs.size(); ++node) {
      const auto& got = switches.got(node);
      const auto& sources = programs[node][kSourceOrder];
      const auto wanted = expected(node);
      ASSERT_EQ(got.size(), wanted.size() * repetitions) << what;
      ASSERT_EQ(sources.size(), wanted.size()) << what;
      std::multiset<std::pair<std::uint32_t, std::uint32_t>> words;
      for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].repetition, i / sources.size()) << what;
        // The word goes where the order of sources says: to the block of its node, or to block 0.
        EXPECT_EQ(sources[i % sources.size()], scatters ? 0 : got[i].from) << what;
        if (i < sources.size()) words.emplace(got[i].from, got[i].block);
      }
      EXPECT_EQ(words, std::multiset(wanted.begin(), wanted.end())) << what << ", node " << node;
    }
  }
}

template <class Of>
Programs programs_of(std::uint32_t nodes, Of of) {
  Programs programs;
  for (std::uint32_t node = 0; node < nodes; ++node) programs.push_back(of(node));
  return programs;
}

std::string name_of(const char* what, const SwitchSize& size) {
  return what + std::string(" on ") + std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " +
         std::to_string(size[2]);
}

/// Calls `use(size, root)` for several meshes, and some of their nodes as roots.
template <typename Use>
void each_root(Use&& use) {
  for (const SwitchSize& size : std::to_array<SwitchSize>({{3, 1, 1},
                                                           {1, 6, 1},
                                                           {2, 2, 1},
                                                           {3, 3, 1},
                                                           {5, 4, 1},
                                                           {3, 7, 1},
                                                           {8, 8, 1},
                                                           {2, 2, 2},
                                                           {3, 1, 4},
                                                           {3, 2, 3}})) {
    const std::uint32_t nodes = size[0] * size[1] * size[2];
    for (std::uint32_t root = 0; root < nodes; root += nodes < 10 ? 1 : nodes / 3) {
      use(size, root);
    }
  }
}

TEST(BlockProgram, AGatherTakesAWordPerCycleToAnyRoot) {
  each_root([](const SwitchSize& size, std::uint32_t root) {
    const std::uint32_t nodes = size[0] * size[1] * size[2];
    const Programs programs = programs_of(nodes, [&](std::uint32_t node) { return gather_program(size, root, node); });
    const Expected expected = [&](std::uint32_t node) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> words;
      for (std::uint32_t from = 0; node == root && from < nodes; ++from) {
        if (from != root) words.emplace_back(from, 0);
      }
      return words;
    };
    check(programs, size, false, expected, name_of("gather", size));
  });
}

TEST(BlockProgram, AScatterSendsAWordPerCycleFromAnyRoot) {
  each_root([](const SwitchSize& size, std::uint32_t root) {
    const std::uint32_t nodes = size[0] * size[1] * size[2];
    const Programs programs = programs_of(nodes, [&](std::uint32_t node) { return scatter_program(size, root, node); });
    const Expected expected = [&](std::uint32_t node) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> words;
      if (node != root) words.emplace_back(root, node);
      return words;
    };
    check(programs, size, true, expected, name_of("scatter", size));
  });
}

/// All sides of 1 to 8, and the largest mesh: even, odd, unequal, lines and boxes.
TEST(BlockProgram, AnAllgatherTakesAWordPerCycleToEachNode) {
  std::vector<SwitchSize> meshes{{16, 16, 1}, {15, 3, 1}, {16, 1, 1}, {1, 15, 1}, {9, 13, 1}, {2, 2, 2}, {3, 3, 3},
                                 {4, 4, 4},   {2, 3, 5},  {3, 1, 4},  {1, 3, 3},  {1, 1, 6},  {5, 2, 3}};
  for (std::uint32_t width = 1; width <= 8; ++width) {
    for (std::uint32_t height = width == 1 ? 2 : 1; height <= 8; ++height) meshes.push_back({width, height, 1});
  }
  for (const SwitchSize& size : meshes) {
    const std::uint32_t nodes = size[0] * size[1] * size[2];
    const Programs programs = programs_of(nodes, [&](std::uint32_t node) { return allgather_program(size, node); });
    const Expected expected = [&](std::uint32_t node) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> words;
      for (std::uint32_t from = 0; from < nodes; ++from) {
        if (from != node) words.emplace_back(from, 0);
      }
      return words;
    };
    // A corner that is not in the ring is served a cycle later.
    const bool aside = nodes % 2 != 0 && std::ranges::max(size) < nodes;
    check(programs, size, false, expected, name_of("allgather", size), aside ? 1 : 0);
  }
}

}  // namespace
}  // namespace tidings
