// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// What is measured does not depend on the number of threads. Seeds are those of the configurations, 1 where none is
// named.
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/traffic/run_traffic.h"
#include "tests/traffic/configurations.h"
#include "tests/traffic/expect_equal.h"

namespace tidings::traffic {
namespace {

struct Case {
  const char* name;
  TopologyKind kind;
  std::vector<std::uint32_t> size;
  std::uint32_t slots;
  std::uint32_t classes;
  std::uint32_t latency;
  std::uint32_t buffer_flits;
  double load;
  std::uint32_t packet_flits;
};

void PrintTo(const Case& machine, std::ostream* stream) { *stream << machine.name; }

TrafficConfig traffic_of(const Case& machine, std::uint32_t threads) {
  TrafficConfig config = test::traffic_on(machine.kind, machine.size, machine.slots);
  config.classes = machine.classes;
  config.machine.link.latency_cycles = machine.latency;
  config.machine.node.buffer_flits = machine.buffer_flits;
  config.load = machine.load;
  config.packet_flits = machine.packet_flits;
  config.warmup_cycles = 900;
  config.measure_cycles = 3000;
  config.drain_cycles = 5000;
  config.threads = threads;
  return config;
}

class TrafficInThreads : public testing::TestWithParam<Case> {};

TEST_P(TrafficInThreads, IsTheSameToTheBit) {
  const TrafficResult alone = run_traffic(traffic_of(GetParam(), 1));
  EXPECT_GT(alone.latency.packets, 100U);
  EXPECT_GT(alone.latency.half_width, 0);
  for (const std::uint32_t threads : {2U, 3U}) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    const TrafficResult result = run_traffic(traffic_of(GetParam(), threads));
    EXPECT_EQ(result.offered, alone.offered);
    EXPECT_EQ(result.accepted, alone.accepted);
    EXPECT_EQ(result.saturated, alone.saturated);
    test::expect_equal(result.latency, alone.latency);
    test::expect_equal(result.network_latency, alone.network_latency);
    EXPECT_EQ(result.batch_means, alone.batch_means);
    EXPECT_EQ(result.drain_cycles, alone.drain_cycles);
    EXPECT_EQ(result.link_flits, alone.link_flits);
    EXPECT_EQ(result.window.flit_hops, alone.window.flit_hops);
    EXPECT_EQ(result.total.cycles, alone.total.cycles);
    EXPECT_EQ(result.total.flit_hops, alone.total.flit_hops);
  }
}

TEST_P(TrafficInThreads, ExchangesInTheSameTime) {
  const ExchangeResult alone = run_exchange(traffic_of(GetParam(), 1));
  EXPECT_GE(alone.cycles, alone.bound);
  for (const std::uint32_t threads : {2U, 3U}) {
    const ExchangeResult result = run_exchange(traffic_of(GetParam(), threads));
    EXPECT_EQ(result.cycles, alone.cycles) << threads << " threads";
    EXPECT_EQ(result.work.flit_hops, alone.work.flit_hops) << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Machines, TrafficInThreads,
    testing::Values(Case{"torus_latency80", TopologyKind::kTorus, {4, 4}, 1, 1, 80, 256, 0.2, 8},
                    Case{"torus_latency7_saturated", TopologyKind::kTorus, {3, 2, 5}, 1, 2, 7, 8, 0.7, 3},
                    Case{"mesh_latency2", TopologyKind::kMesh, {5, 4}, 2, 4, 2, 4, 0.15, 1},
                    Case{"ring_latency3", TopologyKind::kRing, {9}, 1, 1, 3, 8, 0.2, 5}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(UsableThreads, AreOneWhereLinksHaveOneCycleAndAtMostOneARouter) {
  TrafficConfig config = test::traffic_on(TopologyKind::kMesh, {2, 2});
  config.threads = 3;
  config.machine.link.latency_cycles = 1;
  EXPECT_EQ(usable_threads(config), 1U);
  config.machine.link.latency_cycles = 2;
  EXPECT_EQ(usable_threads(config), 3U);
  config.threads = 9;
  EXPECT_EQ(usable_threads(config), 4U);
  config.threads = 0;
  EXPECT_THROW(validate(config), std::invalid_argument);
}

TEST(TrafficErrors, OfTheProgressFunctionEndTrafficInThreads) {
  TrafficConfig config = test::traffic_on(TopologyKind::kTorus, {4, 4});
  config.machine.link.latency_cycles = 20;
  config.threads = 2;
  config.measure_cycles = 1'000'000'000;
  config.progress = [](const TrafficProgress&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(static_cast<void>(run_traffic(config)), std::runtime_error);
}

}  // namespace
}  // namespace tidings::traffic
