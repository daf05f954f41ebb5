// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// A machine that is simulated packet by packet shows what it shows flit by flit. Seeds are printed with each case.
#include "sim/traffic/worm_part.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/traffic/flit_part.h"
#include "tests/traffic/configurations.h"
#include "tests/traffic/expect_equal.h"

namespace tidings::traffic {
namespace {

void expect_equal(const Counts& worms, const Counts& flits) {
  EXPECT_EQ(worms.created_packets, flits.created_packets);
  EXPECT_EQ(worms.arrived_packets, flits.arrived_packets);
  EXPECT_EQ(worms.created_flits, flits.created_flits);
  EXPECT_EQ(worms.arrived_flits, flits.arrived_flits);
  EXPECT_EQ(worms.measured, flits.measured);
  EXPECT_EQ(worms.measured_arrived, flits.measured_arrived);
  EXPECT_EQ(worms.window_created_flits, flits.window_created_flits);
  EXPECT_EQ(worms.window_arrived_flits, flits.window_arrived_flits);
  EXPECT_EQ(worms.settled, flits.settled);
}

std::vector<std::uint64_t> link_flits(const Part& part, const Topology& topology) {
  std::vector<std::uint64_t> flits;
  for (std::uint32_t node = 0; node < part.nodes(); ++node) {
    for (std::uint8_t port = 0; port < topology.ports(); ++port) {
      flits.push_back(part.link_flits(NodeIndex{node}, PortId{port}));
    }
  }
  return flits;
}

/// The same traffic in both ways, looked at now and then.
class BothWays {
 public:
  explicit BothWays(const TrafficConfig& config)
      : topology_(config.machine.topology),
        destinations_(topology_, config.pattern),
        worms_(config, topology_, destinations_, window(config)),
        flits_(config, topology_, destinations_, window(config), cycle::slices(topology_.nodes(), 1), 0) {}

  void stop_sources() {
    worms_.stop_sources();
    flits_.stop_sources();
  }
  void create(std::uint32_t source, std::uint32_t destination, std::uint8_t message_class) {
    worms_.create(source, destination, message_class);
    flits_.create(source, destination, message_class);
  }
  /// @return whether all is equal.
  bool run(Cycle end) {
    worms_.run(end);
    flits_.run(end);
    expect_equal(worms_.ledger().counts(), flits_.ledger().counts());
    EXPECT_EQ(link_flits(worms_, topology_), link_flits(flits_, topology_));
    test::expect_equal(worms_.ledger().latencies().summary(), flits_.ledger().latencies().summary());
    test::expect_equal(worms_.ledger().network_latencies().summary(), flits_.ledger().network_latencies().summary());
    if (testing::Test::HasFailure()) ADD_FAILURE() << "before cycle " << end.value;
    return !testing::Test::HasFailure();
  }
  [[nodiscard]] const Counts& counts() const { return worms_.ledger().counts(); }

 private:
  static Ledger::Window window(const TrafficConfig& config) {
    return {.first = Cycle{config.warmup_cycles}, .cycles = config.measure_cycles};
  }

  Topology topology_;
  Destinations destinations_;
  WormPart worms_;
  FlitPart flits_;
};

class RandomWorms : public testing::TestWithParam<std::uint32_t> {};

/// A machine and a load drawn at random.
TrafficConfig random_traffic(std::minstd_rand& generator) {
  const auto random = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(generator() >> 4) % bound; };
  const auto one_of = [&](std::vector<std::uint32_t> values) { return values[random(std::uint32_t(values.size()))]; };
  const auto kind = std::vector{TopologyKind::kMesh, TopologyKind::kTorus, TopologyKind::kRing, TopologyKind::kCrossbar,
                                TopologyKind::kGraph}[random(5)];
  std::vector<std::uint32_t> size;
  if (kind == TopologyKind::kMesh || kind == TopologyKind::kTorus) size = {2 + random(4), 2 + random(3)};
  if (kind == TopologyKind::kMesh && random(3) == 0) size.push_back(2);
  if (kind == TopologyKind::kRing) size = {3 + random(6)};
  TrafficConfig config = test::traffic_on(kind, size, kind == TopologyKind::kCrossbar ? 2 + random(7) : 1 + random(3));
  if (kind == TopologyKind::kGraph) {
    GraphConfig& graph = config.machine.topology.graph;
    graph.routers = 4 + random(5);
    graph.hosts = random(2) == 0 ? 0 : 3;
    for (std::uint32_t router = 1; router < graph.routers; ++router) {
      graph.links.push_back({.a = random(router), .b = router});
    }
  }
  config.machine.node.buffer_flits = one_of({2, 4, 8, 16, 64, 128});
  config.machine.node.slot_buffer_flits = one_of({2, 4, 8, 64});
  config.machine.node.fixed_priority = random(4) == 0;
  config.machine.link.latency_cycles = one_of({1, 1, 2, 3, 8, 80});
  config.packet_flits = one_of({1, 2, 3, 5, 8, 17, 67, 150});
  config.load = one_of({1, 5, 20, 50, 100}) / 100.;
  config.classes = one_of({1, 1, 2});
  if (kind == TopologyKind::kMesh) config.classes = one_of({1, 2, 3, 4});
  config.burst_packets = random(4) == 0 ? 3 : 1;
  config.warmup_cycles = 300;
  config.measure_cycles = 1000;
  config.seed = 1 + random(1000);
  return config;
}

TEST_P(RandomWorms, ShowWhatFlitsShow) {
  std::minstd_rand generator(GetParam());
  const TrafficConfig config = random_traffic(generator);
  SCOPED_TRACE("seed " + std::to_string(GetParam()) + ", packets of " + std::to_string(config.packet_flits) +
               " flits in " + std::to_string(config.classes) + " classes, links of " +
               std::to_string(config.machine.link.latency_cycles) + " cycles, load " + std::to_string(config.load) +
               ", buffers of " + std::to_string(config.machine.node.buffer_flits) + " and " +
               std::to_string(config.machine.node.slot_buffer_flits) +
               (config.machine.node.fixed_priority != 0 ? ", fixed priority" : ""));
  BothWays both(config);
  for (Cycle end; end.value < 1500;) {
    end += 1 + generator() / 16 % (generator() % 8 == 0 ? 200 : 12);
    if (!both.run(end)) return;
  }
  both.stop_sources();
  // Whatever is created from outside comes in as well.
  for (std::uint32_t packet = 0; packet < 20; ++packet) {
    const std::uint32_t endpoints = Topology(config.machine.topology).endpoints();
    both.create(static_cast<std::uint32_t>(generator() / 16 % endpoints),
                static_cast<std::uint32_t>(generator() / 16 % endpoints),
                static_cast<std::uint8_t>(generator() / 16 % config.classes));
    if (!both.run(Cycle{2000 + packet})) return;
  }
  if (!both.run(Cycle{200'000})) return;
  EXPECT_EQ(both.counts().waiting_packets(), 0U);
  EXPECT_GE(both.counts().created_packets, 20U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomWorms, testing::Range(1U, 201U));

TEST(Worms, RefuseMachinesThatTheyDoNotSuit) {
  TrafficConfig config = test::traffic_on(TopologyKind::kMesh, {2, 2});
  config.packet_flits = 8;
  EXPECT_TRUE(WormPart::suits(config));
  const auto refused = [](TrafficConfig other) {
    const Topology topology(other.machine.topology);
    EXPECT_THROW(WormPart(other, topology, Destinations(topology, other.pattern), {}), std::invalid_argument);
    return !WormPart::suits(other);
  };
  TrafficConfig other = config;
  other.machine.node.router_pipeline = 1;
  EXPECT_TRUE(refused(other));
  other = config;
  other.machine.node.turn_cycle = 1;
  EXPECT_TRUE(refused(other));
  other = config;
  other.machine.topology = {.kind = TopologyKind::kGraph};
  other.machine.topology.graph = {.routers = 3, .links = {{.a = 0, .b = 1}, {.a = 1, .b = 2, .latency_cycles = 5}}};
  EXPECT_TRUE(refused(other));
  other.machine.topology = {.kind = TopologyKind::kCrossbar, .slots = 64};
  EXPECT_TRUE(refused(other));
  other.machine.topology.slots = 8;
  EXPECT_TRUE(WormPart::suits(other));
  other.machine.node.crosspoint = 1;
  EXPECT_TRUE(refused(other));
}

}  // namespace
}  // namespace tidings::traffic
