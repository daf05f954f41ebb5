// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// Estimates against closed forms.
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "coll/estimate.h"

namespace tidings {
namespace {

Placement torus() {
  tidings_grid grid{.dimensions = 3, .radix = {4, 4, 4}, .wraps = {true, true, true}, .single = false};
  std::vector<tidings_endpoint> members;
  for (std::uint16_t i = 0; i < 64; ++i) {
    members.push_back({static_cast<std::uint16_t>(i % 4 | i / 4 % 4 << 4 | i / 16 << 8), 0});
  }
  return {Grid(grid), std::move(members), 8};
}

Placement mesh() {
  tidings_grid grid{.dimensions = 2, .radix = {8, 8}, .wraps = {}, .single = false};
  std::vector<tidings_endpoint> members;
  for (std::uint16_t i = 0; i < 64; ++i) members.push_back({static_cast<std::uint16_t>(i % 8 | i / 8 << 6), 0});
  return {Grid(grid), std::move(members), 8};
}

Placement one_router(std::size_t size) {
  std::vector<tidings_endpoint> members;
  for (std::size_t i = 0; i < size; ++i) members.push_back({0, static_cast<std::uint8_t>(i)});
  return {Grid(tidings_grid{}), std::move(members), 8};
}

double time_of(const char* family, const char* name, const Placement& placement, std::uint64_t bytes,
               const MessageCosts& costs) {
  return message_time(algorithm_named(family_named(family), name), placement, 0, bytes, costs);
}

TEST(LeastCycles, AreWaysSumsAndAWordPerCycle) {
  const Placement placement = torus();
  const EngineCosts costs{.hop = 80, .router = 2, .adder = 4};
  const Shape& gray = *find_shape("gray");
  const Shape& exchange = *find_shape("exchange");
  EXPECT_EQ(least_cycles(placement, Collective::Barrier, 0, costs, false), 6U * 80);
  EXPECT_EQ(least_cycles(placement, Collective::Barrier, 0, costs, gray), 12U * 80);
  EXPECT_EQ(least_cycles(placement, Collective::Barrier, 0, costs, exchange), 6U * 80);
  EXPECT_EQ(least_cycles(placement, Collective::Bcast, 4096, costs, gray), 6U * 80 + 4095);
  EXPECT_EQ(least_cycles(placement, Collective::Reduce, 4096, costs, gray), 6U * 84 + 4095);
  EXPECT_EQ(least_cycles(placement, Collective::Allreduce, 4096, costs, gray), 6U * 164 + 4095);
  EXPECT_EQ(least_cycles(placement, Collective::Allreduce, 64, costs, exchange), 6U * 84 + 63);
  EXPECT_EQ(least_cycles(placement, Collective::Bcast, 8, costs, *find_shape("chain")), 63U * 80 + 7);
  EXPECT_EQ(least_cycles(one_router(8), Collective::Bcast, 1, costs, *find_shape("star")), 2U);
}

TEST(LeastCycles, OfAnAllreduceOnAMeshAreThroughItsMiddle) {
  const Placement placement = mesh();
  const EngineCosts costs{.hop = 1, .router = 2, .adder = 4};
  const Shape& tree = *find_shape("dimension");
  EXPECT_EQ(least_cycles(placement, Collective::Barrier, 0, costs, tree), 2U * 8);
  EXPECT_EQ(least_cycles(placement, Collective::Bcast, 64, costs, tree), 14U + 63);
  EXPECT_EQ(least_cycles(placement, Collective::Reduce, 64, costs, tree), 14U * 5 + 63);
  EXPECT_EQ(least_cycles(placement, Collective::Allreduce, 64, costs, tree), 8U * 6 + 63);
  EXPECT_EQ(least_cycles(placement, Collective::Allreduce, 64, costs, false), 8U * 2 + 6 * 4 + 63);
}

TEST(MessageTime, OfTreesAndRingsIsTheirClosedForm) {
  const MessageCosts costs{.send = 3, .receive = 5, .hop = 0, .byte = 0.5, .combine_byte = 0.25};
  const double step = costs.send + costs.receive;
  for (const std::size_t size : {2U, 8U, 16U}) {
    const Placement placement = one_router(size);
    const double rounds = static_cast<double>(std::bit_width(size - 1));
    const double bytes = 160;
    EXPECT_DOUBLE_EQ(time_of("barrier", "dissemination", placement, 0, costs), rounds * step);
    EXPECT_DOUBLE_EQ(time_of("bcast", "binomial", placement, 160, costs), rounds * (step + bytes * costs.byte));
    EXPECT_DOUBLE_EQ(time_of("bcast", "chain", placement, 160, costs),
                     static_cast<double>(size - 1) * (step + bytes * costs.byte));
    EXPECT_DOUBLE_EQ(time_of("allreduce", "recursive-doubling", placement, 160, costs),
                     rounds * (step + bytes * (costs.byte + costs.combine_byte)));
    const double block = bytes / static_cast<double>(size);
    EXPECT_DOUBLE_EQ(time_of("allreduce", "ring", placement, 160, costs),
                     static_cast<double>(size - 1) * (2 * step + block * (2 * costs.byte + costs.combine_byte)));
  }
}

TEST(MessageTime, CountsTheHopsOfEachMessage) {
  const MessageCosts costs{.send = 0, .receive = 0, .hop = 7, .byte = 0, .combine_byte = 0};
  EXPECT_DOUBLE_EQ(time_of("bcast", "chain", torus(), 8, costs), 63 * 7);
  EXPECT_DOUBLE_EQ(time_of("bcast", "gray", torus(), 8, costs), 6 * 7);
  EXPECT_DOUBLE_EQ(time_of("bcast", "star", torus(), 8, costs), 6 * 7);
}

}  // namespace
}  // namespace tidings
