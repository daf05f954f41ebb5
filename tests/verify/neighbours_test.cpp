// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/cycle/tidings_pkg.h"
#include "sim/machine/machine_config.h"
#include "tests/verify/faulty_node.h"

namespace tidings {
namespace {

using Packets = std::multiset<std::vector<std::uint32_t>>;

/// What the neighbours of a node send that takes everything at once.
Packets sent(const MachineConfig& config, std::uint32_t cycles, const std::optional<std::vector<std::uint32_t>>& kept,
             std::vector<std::uint32_t>& begun) {
  const Topology topology(config.topology);
  verify::Neighbours neighbours(node_parameters(config), topology, NodeIndex{4}, 5, kept);
  NodeOutputs outputs{.ports = std::vector<PortOutput>(topology.ports()),
                      .slots = std::vector<SlotOutput>(topology.slots())};
  NodeInputs inputs{.ports = std::vector<PortInput>(topology.ports()),
                    .slots = std::vector<SlotInput>(topology.slots())};
  std::map<std::pair<std::size_t, unsigned>, std::vector<std::uint32_t>> open;
  Packets packets;
  for (std::uint32_t cycle = 0; cycle < cycles; ++cycle) {
    neighbours.drive(outputs, inputs, false);
    for (std::size_t p = 0; p < inputs.ports.size(); ++p) {
      const PortInput& input = inputs.ports[p];
      outputs.ports[p] = {};
      if (!input.flit_valid) continue;
      outputs.ports[p].credits = static_cast<std::uint8_t>(1U << input.flit.vc);
      std::vector<std::uint32_t>& packet = open[{p, input.flit.vc}];
      packet.push_back(input.flit.data);
      if (input.flit.last) packets.insert(std::exchange(packet, {}));
    }
  }
  begun = neighbours.begun();
  return packets;
}

TEST(Neighbours, SendTheSamePacketsWhereOthersAreLeftOut) {
  const MachineConfig config = test::small_machine(TopologyKind::kTorus, {3, 3}, 1);
  std::vector<std::uint32_t> all;
  const Packets packets = sent(config, 2000, std::nullopt, all);
  ASSERT_GT(all.size(), 300U);
  const std::vector<std::uint32_t> kept{all[100], all[101], all[200]};
  std::vector<std::uint32_t> begun;
  const Packets few = sent(config, 2000, kept, begun);
  EXPECT_EQ(std::set(begun.begin(), begun.end()), std::set(kept.begin(), kept.end()));
  ASSERT_EQ(few.size(), 3U);
  for (const std::vector<std::uint32_t>& packet : few) EXPECT_TRUE(packets.contains(packet));
}

TEST(Neighbours, SendPacketsOfAllKindsAndOfOneFlit) {
  const MachineConfig config = test::small_machine(TopologyKind::kMesh, {3, 3}, 1);
  const Topology topology(config.topology);
  verify::Neighbours neighbours(node_parameters(config), topology, NodeIndex{4}, 5);
  std::vector<std::uint32_t> begun;
  const Packets packets = sent(config, 20'000, std::nullopt, begun);
  EXPECT_TRUE(std::ranges::any_of(packets, [](const auto& packet) { return packet.size() == 1; }));
  std::set<std::uint32_t> kinds;
  for (const std::vector<std::uint32_t>& packet : packets)
    kinds.insert(static_cast<std::uint32_t>(cycle::kind_of(packet[0])));
  EXPECT_EQ(kinds.size(), 16U) << "of the four bits that say what a packet is";
}

TEST(Neighbours, SendWholePacketsOverDirectLinksAndNoMoreThanBuffersHold) {
  for (const bool direct_links : {false, true}) {
    MachineConfig config = test::small_machine(TopologyKind::kMesh, {3, 3}, 1);
    config.node.direct_links = direct_links;
    std::vector<std::uint32_t> begun;
    std::size_t words = 0;
    for (const std::vector<std::uint32_t>& packet : sent(config, 20'000, std::nullopt, begun)) {
      const auto header = tidings_pkg::NeighbourHeader::decode(packet[0]);
      if (header.kind != tidings_pkg::Kind::kNeighbour || packet.size() == 1) continue;
      EXPECT_EQ(header.length, packet.size() - 1);
      words += packet.size() - 1;
    }
    EXPECT_EQ(words > 0, direct_links);
    EXPECT_LE(words, std::size_t{4} * config.node.mpe_buffer_words) << "four ports";
  }
}

}  // namespace
}  // namespace tidings
