// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "coll/wiring.h"

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
  tidings_grid grid{
      .dimensions = static_cast<std::uint32_t>(radix.size()), .radix = {}, .wraps = {}, .single = radix.empty()};
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
  for (std::uint32_t i = 0; i < count; ++i) {
    members.push_back({static_cast<std::uint16_t>(i / 16), static_cast<std::uint8_t>(i % 16)});
  }
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
  for (const std::uint32_t size : {2U, 3U, 5U, 8U, 13U, 16U, 40U}) {
    int depth = 0;
    for (std::uint32_t v = 0; v < size; ++v) depth = std::max(depth, std::popcount(v));
    const bool cube = std::has_single_bit(size);
    const std::uint32_t rounds = cube ? static_cast<std::uint32_t>(std::countr_zero(size)) : 0;
    all.push_back(
        {"Crossbar" + std::to_string(size), crossbar, slots(size), false, static_cast<std::uint32_t>(depth), rounds});
  }
  return all;
}

Placement placement_of(const Case& tested) { return {Grid(tested.grid), tested.members, kLinks}; }

/// Each member's distance from the root.
std::vector<std::uint32_t> depths(const Parents& parents) {
  std::vector<std::uint32_t> all;
  for (Member member = 0; member < parents.size(); ++member) {
    std::uint32_t depth = 0;
    for (Member up = parents[member]; up != kNobody; up = parents[up]) {
      if (++depth > parents.size()) ADD_FAILURE() << "a circle above member " << member;
      if (depth > parents.size()) break;
    }
    all.push_back(depth);
  }
  return all;
}

std::uint32_t depth_of(const Parents& parents) {
  const auto all = depths(parents);
  return *std::max_element(all.begin(), all.end());
}

/// The shape that the library's table puts into the engine for a group, and the one for its exchanges.
const Shape& default_tree(const Placement& placement) {
  const Shape& dimension = *find_shape("dimension");
  try {
    if (wire(placement, dimension).neighbours) return dimension;
  } catch (const Impossible&) {
  }
  return *find_shape("hypercube");
}

class Groups : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] Member size() const { return static_cast<Member>(GetParam().members.size()); }
  const Placement placement = placement_of(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Of, Groups, testing::ValuesIn(cases()), [](const auto& tested) { return tested.param.name; });

/// Shapes that not every group has: of some dimensions, or of few links only.
const std::set<std::string_view> kNotEverywhere{"gray", "star", "dimension", "exchange", "4-nomial", "8-nomial"};

TEST_P(Groups, LinksOfEveryShapeLeadToNeighboursWhoseLinksLeadBack) {
  for (const Shape& shape : shapes()) {
    SCOPED_TRACE(shape.name);
    Wiring wiring;
    try {
      wiring = wire(placement, shape);
    } catch (const Impossible&) {
      EXPECT_TRUE(kNotEverywhere.contains(shape.name));
      continue;
    }
    for (Member member = 0; member < size(); ++member) {
      std::uint32_t used = 0;
      for (const GroupLink& link : wiring.links[member]) {
        ASSERT_LT(link.number, kLinks);
        EXPECT_EQ(used >> link.number & 1U, 0U) << "two links of member " << member << " have one number";
        used |= 1U << link.number;
        ASSERT_LT(link.neighbour, size());
        const auto& back = wiring.links[link.neighbour];
        EXPECT_NE(std::find(back.begin(), back.end(), GroupLink{link.peer_number, member, link.number, link.direct}),
                  back.end())
            << member << " - " << link.neighbour;
        if (link.direct) {
          EXPECT_EQ(placement.neighbour(member, link.number), link.neighbour);
        }
      }
    }
  }
}

TEST_P(Groups, EveryTreeFromEveryRootReachesEveryMemberOnceOverItsLinks) {
  for (const Shape& shape : shapes()) {
    if (!shape.is_tree()) continue;
    SCOPED_TRACE(shape.name);
    Wiring wiring;
    try {
      wiring = wire(placement, shape);
    } catch (const Impossible&) {
      continue;
    }
    for (Member root = 0; root < size(); ++root) {
      const Parents parents = shape.parents(placement, root);
      const auto all = ways(placement, shape, wiring, root);
      EXPECT_EQ(all[root].parent, GroupWay::kNoParent);
      std::vector<Member> reached{root};
      for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const GroupLink& link : wiring.links[reached[i]]) {
          if ((all[reached[i]].children >> link.number & 1U) == 0) continue;
          EXPECT_EQ(parents[link.neighbour], reached[i]);
          EXPECT_EQ(all[link.neighbour].parent, link.peer_number);
          reached.push_back(link.neighbour);
        }
        ASSERT_LE(reached.size(), size());
      }
      EXPECT_EQ(reached.size(), size()) << "root " << root;
    }
  }
}

TEST_P(Groups, TheLibrarysTreesAreAsDeepAsTheFarthestMemberOrTheLogarithm) {
  const Shape& tree = default_tree(placement);
  EXPECT_EQ(tree.name, GetParam().direct ? "dimension" : "hypercube");
  EXPECT_EQ(wire(placement, tree).neighbours, GetParam().direct);
  EXPECT_EQ(depth_of(tree.parents(placement, 0)), GetParam().depth);
  // The trees that do not turn around are as deep from every root.
  for (Member root = 0; root < size(); ++root) {
    if (GetParam().direct) {
      const auto all = depths(tree.parents(placement, root));
      for (Member member = 0; member < size(); ++member) EXPECT_GE(all[member], placement.hops(root, member));
    } else if (std::has_single_bit(size())) {
      EXPECT_EQ(depth_of(tree.parents(placement, root)), GetParam().depth);
    }
  }
}

TEST_P(Groups, AfterTheRoundsOfAnExchangeEachMemberHasHeardOfAll) {
  const Shape& exchange = *find_shape("exchange");
  if (!std::has_single_bit(size())) {
    EXPECT_THROW(static_cast<void>(wire(placement, exchange)), Impossible);
    return;
  }
  const Wiring wiring = wire(placement, exchange);
  if (GetParam().direct) {
    EXPECT_EQ(wiring.neighbours, GetParam().rounds != 0);
  }
  const auto all = ways(placement, exchange, wiring, 0);
  const auto rounds = static_cast<std::size_t>(std::countr_zero(size()));
  std::vector<std::uint64_t> heard;
  std::vector<std::vector<GroupLink>> order(size());
  for (Member me = 0; me < size(); ++me) {
    heard.push_back(std::uint64_t{1} << me);
    EXPECT_EQ(all[me].parent, GroupWay::kNoParent);
    // As the engine takes them.
    for (std::uint32_t pair = 0; pair < kLinks / 2; ++pair) {
      const bool swap = (all[me].swap >> pair & 1U) != 0;
      for (const std::uint32_t number : {2 * pair + (swap ? 1U : 0U), 2 * pair + (swap ? 0U : 1U)}) {
        if ((all[me].children >> number & 1U) == 0) continue;
        for (const GroupLink& link : wiring.links[me]) {
          if (link.number == number) order[me].push_back(link);
        }
      }
    }
    ASSERT_EQ(order[me].size(), rounds);
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto before = heard;
    for (Member me = 0; me < size(); ++me) {
      const GroupLink& link = order[me][round];
      // Both ends come to it in the same round.
      EXPECT_EQ(order[link.neighbour][round].number, link.peer_number);
      heard[me] |= before[link.neighbour];
    }
  }
  const std::uint64_t everyone = size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size()) - 1;
  for (const std::uint64_t one : heard) EXPECT_EQ(one, everyone);
}

TEST(BestRoot, IsInTheMiddleOfAMesh) {
  const Shape& tree = *find_shape("dimension");
  struct Known {
    std::vector<std::uint16_t> radix;
    bool wraps;
    std::uint32_t members;
    Member root;
    std::uint32_t depth;  ///< of the tree from there
  };
  const std::vector<Known> all{{{8, 8}, false, 64, 27, 8}, {{5, 5}, false, 25, 12, 4}, {{2, 2}, false, 4, 0, 2},
                               {{8, 8}, false, 8, 3, 4},   {{16}, false, 16, 7, 8},    {{8, 8}, false, 20, 11, 5},
                               {{4, 4, 4}, true, 64, 0, 6}};
  for (const Known& known : all) {
    const tidings_grid grid = grid_of(known.radix, known.wraps);
    const Placement placement(Grid(grid), routers(grid, known.members), kLinks);
    const Member root = best_root(placement, tree);
    EXPECT_EQ(root, known.root) << known.members << " members";
    EXPECT_EQ(depth_of(tree.parents(placement, root)), known.depth) << known.members << " members";
  }
}

TEST(BestRoot, IsTheFirstMemberWhereTheMiddleIsNoBetter) {
  const tidings_grid mesh = grid_of({8, 8}, false);
  const Placement placement(Grid(mesh), routers(mesh, 64), kLinks);
  EXPECT_EQ(best_root(placement, *find_shape("binary")), 0U);
  EXPECT_EQ(best_root(placement, *find_shape("star")), 0U);
  EXPECT_EQ(best_root(Placement(Grid(grid_of({}, false)), slots(16), kLinks), *find_shape("hypercube")), 0U);
}

TEST(Shapes, AreAsDeepAsTheirNamesSay) {
  const tidings_grid torus = grid_of({4, 4, 4}, true);
  const Placement placement(Grid(torus), routers(torus, 64), kLinks);
  const std::vector<std::pair<std::string, std::uint32_t>> known{{"gray", 6},      {"dimension", 6}, {"binomial", 6},
                                                                 {"hypercube", 6}, {"binary", 6},    {"3-ary", 4},
                                                                 {"chain", 63},    {"star", 1}};
  for (const auto& [name, depth] : known) {
    EXPECT_EQ(depth_of(find_shape(name)->parents(placement, 0)), depth) << name;
  }
  for (const std::string name : {"gray", "dimension", "chain"}) {
    EXPECT_TRUE(wire(placement, *find_shape(name)).neighbours) << name;
  }
  for (Member root = 0; root < 64; ++root) EXPECT_EQ(depth_of(find_shape("gray")->parents(placement, root)), 6U);
}

TEST(Shapes, AChainTurnsAtTheEdgesOfOddGridsToo) {
  const tidings_grid grid = grid_of({3, 3, 3}, false);
  const Placement placement(Grid(grid), routers(grid, 27), kLinks);
  EXPECT_TRUE(wire(placement, *find_shape("chain")).neighbours);
}

TEST(Shapes, SlotsOfARouterHangOnItsFirst) {
  const tidings_grid row = grid_of({2}, false);
  const Placement placement(Grid(row), {{0, 1}, {0, 0}, {1, 0}, {1, 2}}, kLinks);
  EXPECT_EQ(find_shape("dimension")->parents(placement, 1), (Parents{1, kNobody, 1, 2}));
  EXPECT_EQ(find_shape("dimension")->parents(placement, 3), (Parents{1, 2, 3, kNobody}));
}

TEST(Shapes, SeeOneRouterInACrossbarWhoseSlotsHaveSeveralAddresses) {
  const Placement many(Grid(grid_of({}, false)), slots(40), kLinks);
  EXPECT_EQ(shape::two_level(many, 0), shape::binomial(many, 0));
  const Parents chain = shape::chain(many, 0);
  for (Member member = 1; member < many.size(); ++member) EXPECT_EQ(chain[member], member - 1);
}

TEST(Shapes, SayWhyTheyAreImpossible) {
  const auto why = [](const char* name, const Placement& placement) -> std::string {
    try {
      static_cast<void>(wire(placement, *find_shape(name)));
    } catch (const Impossible& reason) {
      return reason.what();
    }
    return "";
  };
  const tidings_grid mesh = grid_of({8, 8}, false);
  const tidings_grid crossbar = grid_of({}, false);
  EXPECT_EQ(why("gray", {Grid(mesh), routers(mesh, 64), kLinks}), "a row of 8 routers is no hypercube");
  EXPECT_EQ(why("dimension", {Grid(mesh), routers(mesh, 2, 0, 2), kLinks}),
            "the routers of its ranks are not all joined by links");
  EXPECT_EQ(why("star", {Grid(crossbar), slots(16), kLinks}),
            "a node has 15 neighbours in the tree, and its engine 8 links");
  EXPECT_EQ(why("exchange", {Grid(crossbar), slots(6), kLinks}), "a hypercube has a power of two of nodes, not 6");
  EXPECT_EQ(find_shape("oak"), nullptr);
}

TEST(Links, GrowWithTheLogarithmOfTheMembersOfAHypercube) {
  const Grid crossbar(grid_of({}, false));
  const auto possible = [&](Member size, std::uint32_t links) {
    try {
      return !wire({crossbar, std::vector<tidings_endpoint>(size), links}, *find_shape("hypercube")).neighbours;
    } catch (const Impossible&) {
      return false;
    }
  };
  EXPECT_TRUE(possible(2, 1));
  EXPECT_TRUE(possible(64, 6));
  EXPECT_FALSE(possible(65, 6));
  EXPECT_TRUE(possible(256, kLinks));
  EXPECT_FALSE(possible(257, kLinks));
}

TEST(Links, AreNotPortsWhereTheEngineHasFewerLinksThanTheRouterPorts) {
  const tidings_grid torus = grid_of({4, 4, 4}, true);
  const auto members = routers(torus, 8);
  EXPECT_TRUE(wire({Grid(torus), members, 6}, *find_shape("dimension")).neighbours);
  EXPECT_FALSE(wire({Grid(torus), members, 5}, *find_shape("dimension")).neighbours);
}

}  // namespace
}  // namespace tidings
