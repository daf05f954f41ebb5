// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "coll/tree.h"

namespace tidings {
namespace {

constexpr std::uint32_t kLinks = 8;

/// Members of a group on a grid.
struct Case {
  std::string name;
  tidings_grid grid;
  std::vector<tidings_endpoint> members;
  bool direct = false;       ///< links are ports
  std::uint32_t depth = 0;   ///< of the tree from the first member
  std::uint32_t rounds = 0;  ///< of an exchange; 0: there is none
};

void PrintTo(const Case& tested, std::ostream* out) { *out << tested.name; }

tidings_grid grid_of(const std::vector<std::uint16_t>& radix, bool wraps) {
  tidings_grid grid{.dimensions = static_cast<std::uint32_t>(radix.size()), .radix = {}, .wraps = {}};
  for (std::size_t d = 0; d < radix.size(); ++d) {
    grid.radix[d] = radix[d];
    grid.wraps[d] = wraps;
  }
  return grid;
}

/// Routers `first`, `first + step`, ... of a grid, dimension 0 running fastest.
std::vector<tidings_endpoint> routers(const tidings_grid& grid, std::uint32_t count, std::uint32_t first = 0,
                                      std::uint32_t step = 1) {
  std::vector<tidings_endpoint> members;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t index = first + i * step;
    std::uint32_t node = 0;
    for (std::uint32_t d = 0; d < grid.dimensions; ++d) {
      node |= index % grid.radix[d] << d * (12 / grid.dimensions);
      index /= grid.radix[d];
    }
    members.push_back({static_cast<std::uint16_t>(node), 0});
  }
  return members;
}

std::vector<tidings_endpoint> slots(std::uint32_t count) {
  std::vector<tidings_endpoint> members;
  for (std::uint32_t i = 0; i < count; ++i) members.push_back({0, static_cast<std::uint8_t>(i)});
  return members;
}

std::vector<Case> cases() {
  const tidings_grid torus = grid_of({4, 4, 4}, true);
  const tidings_grid mesh = grid_of({8, 8}, false);
  const tidings_grid ring = grid_of({2}, true);
  const tidings_grid pairs = grid_of({2, 2, 2}, true);
  const tidings_grid odd = grid_of({5, 3}, true);
  std::vector<Case> all{
      {"Torus", torus, routers(torus, 64), true, 6, 6},
      {"HalfOfATorus", torus, routers(torus, 32), true, 5, 5},
      {"RowOfATorus", torus, routers(torus, 4, 8), true, 2, 2},
      {"ColumnOfATorus", torus, routers(torus, 4, 3, 16), true, 2, 2},
      {"NextDoor", torus, routers(torus, 2, 1), true, 1, 1},
      {"AcrossTheEdge", torus, routers(torus, 2, 0, 3), true, 1, 1},
      {"CornerOfATorus", torus, routers(torus, 6), true, 2, 0},
      {"NotNextDoor", torus, routers(torus, 4, 0, 2), false, 2, 2},
      {"Mesh", mesh, routers(mesh, 64), true, 14, 0},
      {"PairOfAMesh", mesh, routers(mesh, 2, 9), true, 1, 1},
      {"RingOfTwo", ring, routers(ring, 2), true, 1, 1},
      {"Cube", pairs, routers(pairs, 8), true, 3, 3},
      {"OddTorus", odd, routers(odd, 15), true, 3, 0},
  };
  const tidings_grid crossbar = grid_of({}, false);
  for (const std::uint32_t size : {2U, 3U, 5U, 8U, 13U, 16U}) {
    int depth = 0;
    for (std::uint32_t v = 0; v < size; ++v) depth = std::max(depth, std::popcount(v));
    const bool cube = std::has_single_bit(size);
    const std::uint32_t rounds = cube ? static_cast<std::uint32_t>(std::countr_zero(size)) : 0;
    all.push_back(
        {"Crossbar" + std::to_string(size), crossbar, slots(size), false, static_cast<std::uint32_t>(depth), rounds});
  }
  return all;
}

class Tree : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] GroupTree tree(std::uint32_t me) const {
    return GroupTree(Grid(GetParam().grid), GetParam().members, me, kLinks);
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(GetParam().members.size()); }
};
INSTANTIATE_TEST_SUITE_P(Groups, Tree, testing::ValuesIn(cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(Tree, LinksLeadToNeighboursWhoseLinksLeadBack) {
  for (std::uint32_t me = 0; me < size(); ++me) {
    const GroupTree here = tree(me);
    for (const auto& link : here.links()) {
      ASSERT_LT(link.neighbour, size());
      EXPECT_EQ(link.direct, GetParam().direct);
      EXPECT_LT(link.number, here.links_needed());
      bool back = false;
      const GroupTree there = tree(link.neighbour);
      for (const auto& other : there.links()) {
        back = back || (other.number == link.peer_number && other.neighbour == me && other.peer_number == link.number);
      }
      EXPECT_TRUE(back) << me << " - " << link.neighbour;
    }
  }
}

TEST_P(Tree, FromEveryRootEveryMemberIsReachedOnceAndKnowsItsParent) {
  std::vector<GroupTree> trees;
  for (std::uint32_t me = 0; me < size(); ++me) trees.push_back(tree(me));
  for (std::uint32_t root = 0; root < size(); ++root) {
    EXPECT_EQ(trees[root].way(root).parent, GroupTree::kNoParent);
    std::vector<std::uint32_t> reached{root};
    std::vector<std::uint32_t> depth{0};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      GroupTree& here = trees[reached[i]];
      for (const auto& link : here.links()) {
        if ((here.way(root).children >> link.number & 1U) == 0) continue;
        EXPECT_EQ(trees[link.neighbour].way(root).parent, link.peer_number);
        reached.push_back(link.neighbour);
        depth.push_back(depth[i] + 1);
      }
      ASSERT_LE(reached.size(), size());
    }
    EXPECT_EQ(reached.size(), size()) << "root " << root;
    if (root == 0) {
      EXPECT_EQ(*std::max_element(depth.begin(), depth.end()), GetParam().depth);
    }
  }
}

TEST_P(Tree, AfterTheRoundsOfAnExchangeEachMemberHasHeardOfAll) {
  std::vector<std::uint64_t> heard;
  std::vector<std::vector<GroupTree::Link>> order(size());
  for (std::uint32_t me = 0; me < size(); ++me) {
    heard.push_back(std::uint64_t{1} << me);
    const GroupTree here = tree(me);
    ASSERT_EQ(here.rounds().has_value(), GetParam().rounds != 0);
    if (!here.rounds()) return;
    for (std::uint32_t pair = 0; pair < kLinks / 2; ++pair) {
      const bool swap = (here.rounds()->swap >> pair & 1U) != 0;
      for (const std::uint32_t number : {2 * pair + (swap ? 1U : 0U), 2 * pair + (swap ? 0U : 1U)}) {
        if ((here.rounds()->links >> number & 1U) == 0) continue;
        for (const auto& link : here.links()) {
          if (link.number == number) order[me].push_back(link);
        }
      }
    }
    EXPECT_EQ(order[me].size(), GetParam().rounds);
  }
  for (std::size_t round = 0; round < GetParam().rounds; ++round) {
    const auto before = heard;
    for (std::uint32_t me = 0; me < size(); ++me) {
      const GroupTree::Link& link = order[me][round];
      // Both ends come to it in the same round.
      EXPECT_EQ(order[link.neighbour][round].number, link.peer_number);
      heard[me] |= before[link.neighbour];
    }
  }
  const std::uint64_t all = size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size()) - 1;
  for (const std::uint64_t one : heard) EXPECT_EQ(one, all);
}

TEST(TreeLinks, GrowWithTheLogarithmOfTheMembers) {
  const Grid crossbar(grid_of({}, false));
  const auto needed = [&](std::uint32_t size) {
    return GroupTree(crossbar, std::vector<tidings_endpoint>(size), 0, kLinks).links_needed();
  };
  EXPECT_EQ(needed(2), 1U);
  EXPECT_EQ(needed(64), 6U);
  EXPECT_EQ(needed(65), 7U);
  EXPECT_EQ(needed(256), 8U);
  EXPECT_EQ(needed(257), 9U);
}

TEST(TreeLinks, AreNotPortsWhereTheEngineHasFewerLinksThanTheRouterPorts) {
  const tidings_grid torus = grid_of({4, 4, 4}, true);
  const auto members = routers(torus, 8);
  EXPECT_TRUE(GroupTree(Grid(torus), members, 0, 6).links().front().direct);
  EXPECT_FALSE(GroupTree(Grid(torus), members, 0, 5).links().front().direct);
}

}  // namespace
}  // namespace tidings
