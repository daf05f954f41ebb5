// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/topology.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace tidings {
namespace {

using Sizes = std::vector<std::uint32_t>;
using Radix = std::vector<std::uint16_t>;

TopologyConfig torus(Sizes size, std::uint32_t slots = 1) { return {TopologyKind::kTorus, std::move(size), slots}; }
TopologyConfig mesh(Sizes size, std::uint32_t slots = 1) { return {TopologyKind::kMesh, std::move(size), slots}; }

TEST(Topology, NumbersRoutersWithDimensionZeroFastest) {
  const Topology topology(mesh({4, 3, 2}));
  EXPECT_EQ(topology.nodes(), 24U);
  EXPECT_EQ(topology.coordinates(NodeIndex{0}), (Radix{0, 0, 0}));
  EXPECT_EQ(topology.coordinates(NodeIndex{1}), (Radix{1, 0, 0}));
  EXPECT_EQ(topology.coordinates(NodeIndex{4}), (Radix{0, 1, 0}));
  EXPECT_EQ(topology.coordinates(NodeIndex{23}), (Radix{3, 2, 1}));
}

TEST(Topology, PacksCoordinatesIntoEqualFieldsOfTheAddress) {
  EXPECT_EQ(Topology(torus({4, 4, 4})).id(NodeIndex{1 + 2 * 4 + 3 * 16}).value, 0x321);
  EXPECT_EQ(Topology(mesh({8, 8})).id(NodeIndex{5 + 6 * 8}).value, 6 << 6 | 5);
  EXPECT_EQ(Topology(mesh({2, 2, 2, 2})).id(NodeIndex{15}).value, 01111);
  EXPECT_EQ(Topology({TopologyKind::kRing, {3000}, 1}).id(NodeIndex{2999}).value, 2999);
  EXPECT_EQ(Topology({TopologyKind::kCrossbar, {}, 16}).id(NodeIndex{0}).value, 0);
}

TEST(Topology, FindsRoutersByAddress) {
  const Topology topology(torus({4, 3, 2}));
  for (std::uint32_t i = 0; i < topology.nodes(); ++i) EXPECT_EQ(topology.index(topology.id(NodeIndex{i})).value, i);
  EXPECT_THROW((void)topology.index(NodeId{0x030}), std::out_of_range);
  EXPECT_THROW((void)topology.index(NodeId{0x004}), std::out_of_range);
  EXPECT_THROW((void)Topology({TopologyKind::kCrossbar, {}, 16}).index(NodeId{1}), std::out_of_range);
}

TEST(Topology, ASingleRouterOfManySlotsHasAnAddressForEachSixteen) {
  const Topology topology({TopologyKind::kCrossbar, {}, 40});
  EXPECT_EQ(topology.endpoint(15), (Endpoint{NodeId{0}, SlotId{15}}));
  EXPECT_EQ(topology.endpoint(16), (Endpoint{NodeId{1}, SlotId{0}}));
  EXPECT_EQ(topology.endpoint(39), (Endpoint{NodeId{2}, SlotId{7}}));
  for (std::uint32_t slot = 0; slot < 40; ++slot) EXPECT_EQ(topology.number(topology.endpoint(slot)), slot);
  EXPECT_THROW((void)topology.number({NodeId{2}, SlotId{8}}), std::out_of_range);
  EXPECT_THROW((void)topology.number({NodeId{3}, SlotId{0}}), std::out_of_range);
}

TEST(Topology, EvenPortsLeadUpAndOddPortsDown) {
  const Topology topology(mesh({4, 4}));
  EXPECT_EQ(topology.neighbour(NodeIndex{5}, PortId{0}), (Topology::NetworkPort{NodeIndex{6}, PortId{1}}));
  EXPECT_EQ(topology.neighbour(NodeIndex{5}, PortId{1}), (Topology::NetworkPort{NodeIndex{4}, PortId{0}}));
  EXPECT_EQ(topology.neighbour(NodeIndex{5}, PortId{2}), (Topology::NetworkPort{NodeIndex{9}, PortId{3}}));
  EXPECT_EQ(topology.neighbour(NodeIndex{5}, PortId{3}), (Topology::NetworkPort{NodeIndex{1}, PortId{2}}));
}

TEST(Topology, LinksAreTheSameSeenFromBothEnds) {
  for (const TopologyConfig& config : {torus({4, 3, 2}), mesh({4, 3, 2}), torus({2, 2}), torus({5})}) {
    const Topology topology(config);
    for (std::uint32_t i = 0; i < topology.nodes(); ++i) {
      for (std::uint8_t p = 0; p < topology.ports(); ++p) {
        const auto link = topology.neighbour(NodeIndex{i}, PortId{p});
        if (!link) continue;
        EXPECT_EQ(topology.neighbour(link->node, link->port), (Topology::NetworkPort{NodeIndex{i}, PortId{p}}));
      }
    }
  }
}

TEST(Topology, MeshEndsAtItsEdges) {
  const Topology topology(mesh({3, 2}));
  EXPECT_FALSE(topology.neighbour(NodeIndex{2}, PortId{0}));
  EXPECT_FALSE(topology.neighbour(NodeIndex{0}, PortId{1}));
  EXPECT_FALSE(topology.neighbour(NodeIndex{3}, PortId{2}));
  EXPECT_FALSE(topology.neighbour(NodeIndex{2}, PortId{3}));
}

TEST(Topology, TorusAndRingWrap) {
  EXPECT_EQ(Topology(torus({4, 4})).neighbour(NodeIndex{3}, PortId{0}),
            (Topology::NetworkPort{NodeIndex{0}, PortId{1}}));
  EXPECT_EQ(Topology(torus({4, 4})).neighbour(NodeIndex{0}, PortId{3}),
            (Topology::NetworkPort{NodeIndex{12}, PortId{2}}));
  EXPECT_EQ(Topology({TopologyKind::kRing, {3}, 1}).neighbour(NodeIndex{0}, PortId{1}),
            (Topology::NetworkPort{NodeIndex{2}, PortId{0}}));
}

TEST(Topology, RingOfTwoHasTwoLinks) {
  const Topology topology({TopologyKind::kRing, {2}, 1});
  EXPECT_EQ(topology.neighbour(NodeIndex{0}, PortId{0}), (Topology::NetworkPort{NodeIndex{1}, PortId{1}}));
  EXPECT_EQ(topology.neighbour(NodeIndex{0}, PortId{1}), (Topology::NetworkPort{NodeIndex{1}, PortId{0}}));
}

TEST(Topology, CrossbarIsOneRouterWithoutNetworkPorts) {
  const Topology topology({TopologyKind::kCrossbar, {}, 16}, 3);
  EXPECT_EQ(topology.nodes(), 1U);
  EXPECT_EQ(topology.ports(), 0U);
  EXPECT_EQ(topology.slots(), 16U);
  EXPECT_EQ(topology.endpoint(2), (Endpoint{NodeId{0}, SlotId{2}}));
}

TEST(Topology, IsCutToTheSmallestBoxThatHoldsTheRanks) {
  const TopologyConfig spirit = torus({4, 4, 4});
  EXPECT_EQ(Topology(spirit, 1).radix(), (Radix{1, 1, 1}));
  EXPECT_EQ(Topology(spirit, 2).radix(), (Radix{2, 1, 1}));
  EXPECT_EQ(Topology(spirit, 3).radix(), (Radix{3, 1, 1}));
  EXPECT_EQ(Topology(spirit, 4).radix(), (Radix{2, 2, 1}));  // more cubic than 4 x 1 x 1
  EXPECT_EQ(Topology(spirit, 5).radix(), (Radix{3, 2, 1}));  // fewer routers than 2 x 2 x 2
  EXPECT_EQ(Topology(spirit, 7).radix(), (Radix{2, 2, 2}));
  EXPECT_EQ(Topology(spirit, 12).radix(), (Radix{3, 2, 2}));
  EXPECT_EQ(Topology(spirit, 32).radix(), (Radix{4, 4, 2}));  // low dimensions are the largest
  EXPECT_EQ(Topology(spirit, 64).radix(), (Radix{4, 4, 4}));
  EXPECT_EQ(Topology(torus({2, 3, 4}), 12).radix(), (Radix{2, 3, 2}));
}

TEST(Topology, CountsSlotsWhenItIsCut) {
  const Topology topology(mesh({4, 4}, 3), 10);
  EXPECT_EQ(topology.radix(), (Radix{2, 2}));
  EXPECT_EQ(topology.endpoint(0), (Endpoint{NodeId{0}, SlotId{0}}));
  EXPECT_EQ(topology.endpoint(2), (Endpoint{NodeId{0}, SlotId{2}}));
  EXPECT_EQ(topology.endpoint(7), (Endpoint{NodeId{1 << 6}, SlotId{1}}));
}

TEST(Topology, DimensionsThatWereCutDoNotWrap) {
  const Topology topology(torus({4, 4, 4}), 32);
  EXPECT_EQ(topology.wrap(), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(topology.place(NodeIndex{17}).wrap, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(topology.place(NodeIndex{17}).radix, (Radix{4, 4, 2}));
  EXPECT_EQ(topology.place(NodeIndex{17}).node_id, 0x101);
  EXPECT_TRUE(topology.neighbour(NodeIndex{3}, PortId{0}));
  EXPECT_FALSE(topology.neighbour(NodeIndex{16}, PortId{4}));
}

TEST(Topology, RefusesMoreRanksThanSlotsAndNone) {
  EXPECT_THROW(Topology(mesh({2, 2}, 2), 9), std::invalid_argument);
  EXPECT_THROW(Topology(mesh({2, 2}, 2), 0), std::invalid_argument);
  EXPECT_EQ(Topology(mesh({2, 2}, 2), 8).nodes(), 4U);
}

}  // namespace
}  // namespace tidings
