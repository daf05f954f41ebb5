// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <vector>

#include "coll/tree.h"

namespace tidings {
namespace {

class Tree : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Tree, testing::Values(1U, 2U, 3U, 5U, 8U, 13U, 16U, 17U, 64U));

TEST_P(Tree, LinksLeadToNeighboursWhoseLinksLeadBack) {
  const std::uint32_t ranks = GetParam();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const WorldTree here(rank, ranks);
    for (const auto& link : here.links()) {
      ASSERT_LT(link.neighbour, ranks);
      const WorldTree there(link.neighbour, ranks);
      bool back = false;
      for (const auto& other : there.links()) {
        back = back || (other.number == link.number && other.neighbour == rank);
      }
      EXPECT_TRUE(back) << rank << " - " << link.neighbour;
      EXPECT_LT(link.number, WorldTree::links_needed(ranks));
    }
  }
}

TEST_P(Tree, FromEveryRootEveryRankIsReachedOnceAndKnowsItsParent) {
  const std::uint32_t ranks = GetParam();
  for (std::uint32_t root = 0; root < ranks; ++root) {
    EXPECT_EQ(WorldTree(root, ranks).parent(root), WorldTree::kNoParent);
    std::vector<std::uint32_t> reached{root};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const WorldTree here(reached[i], ranks);
      const std::uint32_t children = here.children(root);
      for (const auto& link : here.links()) {
        if ((children >> link.number & 1U) == 0) continue;
        EXPECT_EQ(WorldTree(link.neighbour, ranks).parent(root), link.number);
        reached.push_back(link.neighbour);
      }
      ASSERT_LE(reached.size(), ranks);
    }
    EXPECT_EQ(reached.size(), ranks) << "root " << root;
  }
}

TEST(TreeLinks, GrowWithTheLogarithmOfTheRanks) {
  EXPECT_EQ(WorldTree::links_needed(1), 0U);
  EXPECT_EQ(WorldTree::links_needed(2), 1U);
  EXPECT_EQ(WorldTree::links_needed(64), 6U);
  EXPECT_EQ(WorldTree::links_needed(65), 7U);
  EXPECT_EQ(WorldTree::links_needed(256), 8U);
  EXPECT_EQ(WorldTree::links_needed(257), 9U);
}

}  // namespace
}  // namespace tidings
