// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/wires.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tidings {
namespace {

const TopologyConfig kMesh{TopologyKind::kMesh, {3, 3}, 1};
constexpr NodeIndex kCentre{4};

PortOutput flit(std::uint32_t data) {
  return {.flit_valid = true, .flit = {.vc = 2, .last = true, .data = data}, .credits = 0};
}

class WiresOfLatency : public testing::TestWithParam<std::uint32_t> {};

TEST_P(WiresOfLatency, ArriveLatencyMinusOneCyclesLaterAndNotBefore) {
  const Topology topology(kMesh);
  Wires wires(topology, GetParam());
  wires.send(Cycle{10}, kCentre, PortId{0}, flit(7));
  const Cycle due{10 + GetParam() - 1};
  EXPECT_EQ(wires.next(), due);
  for (Cycle early{10}; early < due; ++early) EXPECT_FALSE(wires.take(early)) << early.value;
  const auto arrival = wires.take(due);
  ASSERT_TRUE(arrival);
  EXPECT_EQ(arrival->to, (Topology::NetworkPort{NodeIndex{5}, PortId{1}}));
  EXPECT_TRUE(arrival->input.flit_valid);
  EXPECT_EQ(arrival->input.flit, (Flit{.vc = 2, .last = true, .data = 7}));
  EXPECT_FALSE(wires.next());
}

TEST_P(WiresOfLatency, CarryCreditsLikeFlits) {
  const Topology topology(kMesh);
  Wires wires(topology, GetParam());
  wires.send(Cycle{3}, kCentre, PortId{3}, {.flit_valid = false, .flit = {}, .credits = 0b0101});
  const auto arrival = wires.take(Cycle{3 + GetParam() - 1});
  ASSERT_TRUE(arrival);
  EXPECT_EQ(arrival->to, (Topology::NetworkPort{NodeIndex{1}, PortId{2}}));
  EXPECT_FALSE(arrival->input.flit_valid);
  EXPECT_EQ(arrival->input.credits, 0b0101);
}

TEST_P(WiresOfLatency, KeepTheDistanceBetweenFlits) {
  const Topology topology(kMesh);
  Wires wires(topology, GetParam());
  const std::uint32_t delay = GetParam() - 1;
  for (const std::uint64_t sent : {1U, 2U, 4U, 9U}) {
    wires.send(Cycle{sent}, kCentre, PortId{1}, flit(static_cast<std::uint32_t>(sent)));
  }
  for (const std::uint64_t sent : {1U, 2U, 4U, 9U}) {
    EXPECT_EQ(wires.next(), Cycle{sent + delay});
    const auto arrival = wires.take(Cycle{sent + delay});
    ASSERT_TRUE(arrival);
    EXPECT_EQ(arrival->input.flit.data, sent);
    EXPECT_FALSE(wires.take(Cycle{sent + delay}));
  }
}

INSTANTIATE_TEST_SUITE_P(Latencies, WiresOfLatency, testing::Values(1, 2, 5, 80));

TEST(Wires, LoseWhatLeavesOverAnEdge) {
  const Topology topology(kMesh);
  Wires wires(topology, 1);
  wires.send(Cycle{0}, NodeIndex{0}, PortId{1}, flit(1));
  EXPECT_FALSE(wires.next());
}

TEST(Wires, RefuseLatencyZero) {
  const Topology topology(kMesh);
  EXPECT_THROW(Wires(topology, 0), std::invalid_argument);
}

}  // namespace
}  // namespace tidings
