// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "coll/estimate.h"
#include "coll/steps.h"

namespace tidings {
namespace {

Placement mesh(std::uint16_t width, std::uint16_t height, bool wraps = false) {
  tidings_grid grid{};
  grid.dimensions = 2;
  grid.radix[0] = width;
  grid.radix[1] = height;
  grid.wraps[0] = grid.wraps[1] = wraps;
  constexpr unsigned kHalfAddress = 6;
  std::vector<tidings_endpoint> members;
  for (unsigned y = 0; y < height; ++y) {
    for (unsigned x = 0; x < width; ++x) members.push_back({static_cast<std::uint16_t>(x | y << kHalfAddress), 0});
  }
  return {Grid(grid), std::move(members), 8};
}

Steps steps(Collective family, const char* name, const Placement& placement) {
  return steps_of(algorithm_named(family, name), placement, 0);
}

TEST(Steps, AreTheRoundsOfAnAlgorithmWhoseRanksGoOnTogether) {
  const Steps found = steps(Collective::Alltoall, "pairwise", mesh(4, 2));
  EXPECT_EQ(found.number, 7U);
  EXPECT_EQ(found.messages.size(), 8U * 7);
  EXPECT_EQ(found.synchronizing, 0U);
  for (const StepMessage& message : found.messages) EXPECT_EQ((message.to + 8 - message.from) % 8, message.step + 1);
}

TEST(Steps, LeaveOutBarriersBetweenRoundsButNotThoseOfABarrier) {
  const Placement placement = mesh(4, 4);
  const Steps rounds = steps(Collective::Alltoall, "rounds-latin", placement);
  EXPECT_EQ(rounds.number, 36U);
  EXPECT_EQ(rounds.messages.size(), 16U * 15);
  EXPECT_EQ(rounds.synchronizing, 36U * 2 * 15);  // up and down the tree
  const Steps barrier = steps(Collective::Barrier, "mesh-3-ary", placement);
  EXPECT_EQ(barrier.synchronizing, 0U);
  EXPECT_EQ(barrier.messages.size(), 2U * 15);
  EXPECT_EQ(barrier.number, 8U);  // four hops from the farthest corner, and back
}

TEST(Steps, FollowWhatARankHasReceived) {
  // Rank 0 sends to 4, 2, 1 in this order; 4 sends to 6 and 5, 2 to 3, 6 to 7.
  const Steps found = steps(Collective::Bcast, "binomial", mesh(8, 1));
  std::vector<std::uint32_t> got(8);
  for (const StepMessage& message : found.messages) got[message.to] = message.step;
  EXPECT_EQ(got, (std::vector<std::uint32_t>{0, 2, 1, 2, 0, 2, 1, 2}));
}

TEST(LeastCycles, OfAnAlltoallAreTheWordsOfTheBusiestLink) {
  const EngineCosts costs;
  const auto least = [&](const Placement& placement, std::uint64_t words) {
    return least_cycles(placement, Collective::Alltoall, words, costs, false);
  };
  EXPECT_EQ(least(mesh(8, 8), 1), 128U);
  EXPECT_EQ(least(mesh(8, 8), 10), 1280U);
  EXPECT_EQ(least(mesh(5, 6), 1), 45U);
  EXPECT_EQ(least(mesh(8, 4), 1), 64U);
  EXPECT_EQ(least(mesh(2, 2), 1), 3U);         // a slot's own words
  EXPECT_EQ(least(mesh(8, 8, true), 1), 64U);  // mean distance 2 in each dimension: 64 x 64 x 2 hops, 128 links
}

}  // namespace
}  // namespace tidings
