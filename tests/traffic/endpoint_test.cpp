// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// Endpoints on a machine, one packet at a time.
#include "sim/traffic/endpoint.h"

#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>
#include <vector>

#include "sim/cycle/fabric.h"
#include "sim/traffic/bounds.h"
#include "tests/traffic/configurations.h"

namespace tidings::traffic {
namespace {

/// A machine on which single packets are sent.
class LonelyPackets {
 public:
  explicit LonelyPackets(const TrafficConfig& config)
      : topology_(config.machine.topology),
        ledger_(topology_.nodes() * topology_.slots(), {.first = Cycle{0}, .cycles = kForever}),
        addresses_(addresses()),
        fabric_(node_parameters(config), topology_, config.machine.link.latency_cycles,
                [&](NodeIndex node, unsigned slot) {
                  return TrafficEndpoint(ledger_, addresses_, node.value * topology_.slots() + slot,
                                         {.classes = config.classes,
                                          .packet_flits = config.packet_flits,
                                          .router_room = config.machine.node.slot_buffer_flits});
                }) {}

  [[nodiscard]] std::uint32_t endpoints() const { return topology_.nodes() * topology_.slots(); }

  /// Send a packet and wait until everything has come to rest. @return its latency.
  std::uint64_t send(std::uint32_t from, std::uint32_t to, std::uint8_t message_class) {
    const Cycle start = ledger_.now;
    fabric_.slot(from).create(to, message_class);
    fabric_.wake(from);
    std::uint64_t latency = 0;
    while (fabric_.busy() || fabric_.next_arrival()) {
      fabric_.step(ledger_.now);
      ++ledger_.now;
      if (ledger_.counts().missing() == 0 && latency == 0) latency = ledger_.now - start;
      if (ledger_.now - start > kPatience) throw std::runtime_error("a packet does not arrive");
    }
    return latency;
  }

  [[nodiscard]] std::uint64_t hops(std::uint32_t from, std::uint32_t to) const {
    const auto here = topology_.coordinates(NodeIndex{from / topology_.slots()});
    const auto there = topology_.coordinates(NodeIndex{to / topology_.slots()});
    std::uint64_t sum = 0;
    for (std::size_t d = 0; d < here.size(); ++d) {
      const std::uint64_t distance = here[d] < there[d] ? there[d] - here[d] : here[d] - there[d];
      sum += topology_.wrap()[d] ? std::min<std::uint64_t>(distance, topology_.radix()[d] - distance) : distance;
    }
    return sum;
  }

  [[nodiscard]] const Ledger& ledger() const { return ledger_; }

 private:
  static constexpr std::uint64_t kForever = 1'000'000'000, kPatience = 100'000;

  [[nodiscard]] std::vector<std::uint32_t> addresses() const {
    std::vector<std::uint32_t> result;
    for (std::uint32_t number = 0; number < endpoints(); ++number) {
      const Endpoint endpoint = topology_.endpoint(number);
      result.push_back(tidings_pkg::Header0{.dst_slot = endpoint.slot, .dst_node = endpoint.node}.encode());
    }
    return result;
  }

  Topology topology_;
  Ledger ledger_;
  std::vector<std::uint32_t> addresses_;
  cycle::Fabric<TrafficEndpoint> fabric_;
};

struct Case {
  TopologyKind kind;
  std::vector<std::uint32_t> size;
  std::uint32_t slots;
  std::uint32_t classes;
  std::uint32_t latency;
  std::uint32_t buffer_flits;
  bool pipeline = false;
};

void PrintTo(const Case& machine, std::ostream* stream) {
  *stream << machine.size.size() << " dimensions, " << machine.slots << " slots, " << machine.classes
          << " classes, latency " << machine.latency << ", buffers of " << machine.buffer_flits
          << (machine.pipeline ? ", pipeline" : "");
}

class LonelyPacket : public testing::TestWithParam<Case> {};

TEST_P(LonelyPacket, TakesTheTimeOfTheFormula) {
  const Case& machine = GetParam();
  TrafficConfig config = test::traffic_on(machine.kind, machine.size, machine.slots);
  config.classes = machine.classes;
  config.machine.link.latency_cycles = machine.latency;
  config.machine.node.buffer_flits = machine.buffer_flits;
  config.machine.node.router_pipeline = machine.pipeline;
  config.machine.node.slot_buffer_flits = machine.pipeline ? 4 : 2;  // at least the round trip of a credit
  for (const std::uint32_t flits : {1U, 2U, 5U, 8U, 40U}) {
    config.packet_flits = flits;
    LonelyPackets packets(config);
    for (std::uint32_t from = 0; from < packets.endpoints(); ++from) {
      for (std::uint32_t to = 0; to < packets.endpoints(); ++to) {
        const auto message_class = static_cast<std::uint8_t>((from + to) % machine.classes);
        ASSERT_EQ(packets.send(from, to, message_class), zero_load_latency(config, packets.hops(from, to)))
            << flits << " flits from " << from << " to " << to;
      }
    }
    EXPECT_EQ(packets.ledger().network_latencies().summary().max, packets.ledger().latencies().summary().max);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, LonelyPacket,
    testing::Values(Case{TopologyKind::kMesh, {3, 4}, 1, 1, 1, 8}, Case{TopologyKind::kMesh, {2, 3}, 3, 4, 2, 2},
                    Case{TopologyKind::kTorus, {4, 3}, 1, 2, 5, 4},
                    Case{TopologyKind::kTorus, {2, 2, 2}, 1, 1, 80, 256}, Case{TopologyKind::kRing, {6}, 1, 1, 3, 4},
                    Case{TopologyKind::kCrossbar, {}, 3, 2, 1, 8}, Case{TopologyKind::kMesh, {3, 4}, 1, 1, 1, 2, true},
                    Case{TopologyKind::kTorus, {4, 3}, 1, 2, 5, 4, true},
                    Case{TopologyKind::kCrossbar, {}, 3, 2, 1, 8, true}));

TEST(Endpoint, SendsFlitsOfItsClassesInTurnWhileItHasCredits) {
  Ledger ledger(1, {.first = Cycle{0}, .cycles = 100});
  const std::vector<std::uint32_t> addresses{0};
  TrafficEndpoint endpoint(ledger, addresses, 0, {.classes = 2, .packet_flits = 3, .router_room = 2});
  endpoint.create(0, 0);
  endpoint.create(0, 1);
  std::vector<unsigned> channels;
  for (; endpoint.port().flit_valid; ++ledger.now) {
    channels.push_back(endpoint.port().flit.vc);
    endpoint.clock({}, {});
  }
  EXPECT_EQ(channels, (std::vector<unsigned>{0, 1, 0, 1}));
  EXPECT_FALSE(endpoint.busy());
  PortInput credit;
  credit.credits = 0b10;
  endpoint.clock(credit, {});
  EXPECT_TRUE(endpoint.port().flit_valid);
  EXPECT_EQ(endpoint.port().flit.vc, 1);
  EXPECT_TRUE(endpoint.port().flit.last);
}

TEST(SourceBits, ComeBackAndAreNeverThoseOfAStaticRoute) {
  for (const std::uint32_t endpoint : {0U, 1U, 4095U, 4096U, 16383U, 16384U, 40000U, kMostEndpoints - 1}) {
    const std::uint32_t bits = source_bits(endpoint);
    auto header = tidings_pkg::Header0::decode(bits);
    EXPECT_FALSE(is_static(header.kind));
    header.dst_slot = SlotId{0xa};
    header.dst_node = NodeId{0xbcd};
    EXPECT_EQ(source_of(header.encode()), endpoint);
  }
}

}  // namespace
}  // namespace tidings::traffic
