// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// Which collectives of a communicator take less time over static switches than by messages.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "coll/switch_group.h"

namespace tidings {
namespace {

constexpr std::uint32_t kSide = 4;
constexpr std::uint64_t kCycle = 1000;                 ///< picoseconds
constexpr std::uint64_t kMessage = 2222, kCopies = 5;  ///< cycles, as on mesh8x8
constexpr std::uint64_t kOthers = kSide * kSide - 1;

/// The ranks of 4 x 4 routers. @param word cycles of a link for each word of the switches. @param hop its cycles.
SwitchGroup group_of(std::uint64_t word, std::uint64_t hop) {
  tidings_grid grid{.dimensions = 2, .radix = {kSide, kSide}, .wraps = {}, .single = false};
  std::vector<tidings_endpoint> members;
  for (std::uint32_t y = 0; y < kSide; ++y) {
    for (std::uint32_t x = 0; x < kSide; ++x) members.push_back({static_cast<std::uint16_t>(x | y << 6), 0});
  }
  tidings_platform platform{};
  platform.grid = grid;
  platform.alltoall_entries = 128;
  platform.alltoall_hop = 1;
  platform.exchange_costs = {.message = kMessage * kCycle,
                             .agreement = 714 * kCycle,
                             .copied_word = kCopies * kCycle,
                             .link_cycle = kCycle,
                             .switch_cycle = word * kCycle,
                             .switch_hop = hop * kCycle};
  return {Placement(Grid(grid), members, 8), 0, platform};
}

TEST(SwitchGroup, TakesAllEqualBlocksIfALinkTakesACycle) {
  const SwitchGroup group = group_of(1, 1);
  for (const std::uint64_t words : {1U, 64U, 1U << 20}) {
    EXPECT_TRUE(group.exchanges_faster(words)) << words;
    EXPECT_TRUE(group.gathers_faster(words)) << words;
  }
}

// 16 words cross the busiest link for one of each block. With 8 words of room, links of 80 cycles carry one in 20.
TEST(SwitchGroup, LeavesLongBlocksToMessagesIfWordsWaitForRoom) {
  const SwitchGroup group = group_of(20, 80);
  // A word takes 320 cycles, or six of shared links and five of copies for each of the others.
  const std::uint64_t most = kOthers * kMessage / (16 * 20 - kOthers * (6 + kCopies));
  EXPECT_TRUE(group.exchanges_faster(most));
  EXPECT_FALSE(group.exchanges_faster(most + 1));
  // Blocks of several lengths are copied either way.
  const std::uint64_t less = kOthers * kMessage / (16 * 20 - kOthers * 6);
  EXPECT_TRUE(group.exchanges_faster(less, kOthers * less));
  EXPECT_FALSE(group.exchanges_faster(less + 1, kOthers * (less + 1)));
}

// Words from six links away arrive when those from one have for five links' times, and leave as much earlier: half of
// this is a period.
TEST(SwitchGroup, KnowsThatWordsFromNearWaitForThoseFromFar) {
  const SwitchGroup group = group_of(1, 160);
  const std::uint64_t most = kOthers * kMessage / (5 * 160 / 2 - kOthers * (6 + kCopies));
  EXPECT_TRUE(group.exchanges_faster(most));
  EXPECT_FALSE(group.exchanges_faster(most + 1));
}

// A member's next word waits until the last one of the others has come around the ring.
TEST(SwitchGroup, LeavesLongBlocksOfAnAllgatherToMessagesIfLinksAreLong) {
  const SwitchGroup group = group_of(1, 32);
  const std::uint64_t most = kOthers * kMessage / ((kOthers - 1) * 32 - (kOthers + 1) - kOthers * kCopies);
  EXPECT_TRUE(group.gathers_faster(most));
  EXPECT_FALSE(group.gathers_faster(most + 1));
  const std::uint64_t less = kOthers * kMessage / ((kOthers - 1) * 32 - (kOthers + 1));
  EXPECT_TRUE(group.gathers_faster(less, (kOthers + 1) * less));
  EXPECT_FALSE(group.gathers_faster(less + 1, (kOthers + 1) * (less + 1)));
}

}  // namespace
}  // namespace tidings
