// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// Whole runs: phases, counts, saturation. Seeds are those of the configurations, 1 where none is named.
#include "sim/traffic/run_traffic.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/traffic/bounds.h"
#include "tests/traffic/configurations.h"

namespace tidings::traffic {
namespace {

/// A mesh of 4 x 4 for a short time.
TrafficConfig small(double load, std::uint32_t flits) {
  TrafficConfig config = test::traffic_on(TopologyKind::kMesh, {4, 4});
  config.load = load;
  config.packet_flits = flits;
  config.warmup_cycles = 500;
  config.measure_cycles = 4000;
  config.drain_cycles = 20000;
  return config;
}

TEST(RunTraffic, CarriesWhatIsOffered) {
  const TrafficResult result = run_traffic(small(0.3, 4));
  EXPECT_FALSE(result.saturated);
  EXPECT_EQ(result.endpoints, 16U);
  EXPECT_NEAR(result.offered, 0.3, 0.02);
  EXPECT_NEAR(result.accepted, result.offered, 0.01);
  EXPECT_EQ(result.latency.packets * 4, static_cast<std::uint64_t>(result.offered * 16 * 4000 + 0.5));
  EXPECT_GT(result.latency.mean, bounds_of(small(0.3, 4)).zero_load_latency);
  EXPECT_LE(result.network_latency.mean, result.latency.mean);
  EXPECT_GT(result.latency.half_width, 0);
}

TEST(RunTraffic, HasTheLatencyOfTheFormulaWherePacketsNeverMeet) {
  // On a torus with room for whole packets, neighbours' packets take links that no other packet takes.
  TrafficConfig config = test::traffic_on(TopologyKind::kTorus, {4, 4});
  config.pattern.kind = Pattern::kNeighbour;
  config.load = 0.05;
  config.warmup_cycles = 100;
  config.measure_cycles = 5000;
  const TrafficResult result = run_traffic(config);
  EXPECT_GT(result.latency.packets, 1000U);
  EXPECT_EQ(result.latency.min, zero_load_latency(config, 2));
  EXPECT_EQ(result.latency.max, zero_load_latency(config, 2));
}

TEST(RunTraffic, WaitsAtTheSourceAsLongAsQueueingTheorySays) {
  // Packets that never meet wait for each other at their source alone: a queue with Bernoulli arrivals and a service
  // of P cycles, whose mean wait is load * (P - 1) / (2 * (1 - load)) (Geo/D/1).
  TrafficConfig config = test::traffic_on(TopologyKind::kTorus, {4, 4});
  config.pattern.kind = Pattern::kNeighbour;
  config.packet_flits = 8;
  config.load = 0.5;
  config.warmup_cycles = 1000;
  config.measure_cycles = 30000;
  const TrafficResult result = run_traffic(config);
  const double wait = result.latency.mean - static_cast<double>(zero_load_latency(config, 2));
  EXPECT_NEAR(wait, 0.5 * 7 / (2 * 0.5), 2 * result.latency.half_width);
  EXPECT_LT(result.latency.half_width, 0.2);
  EXPECT_EQ(result.network_latency.max, zero_load_latency(config, 2));
}

TEST(RunTraffic, CrossbarCarriesWhatASwitchWithInputQueuesCarries) {
  // Karol, Hluchyj and Morgan, "Input versus output queueing on a space-division packet switch", IEEE Transactions on
  // Communications 35 (1987), table I: saturated switches of 2, 4 and 8 ports, uniform traffic of one-word packets.
  for (const auto& [ports, throughput] : {std::pair{2U, 0.75}, {4U, 0.6553}, {8U, 0.6184}}) {
    TrafficConfig config = test::traffic_on(TopologyKind::kCrossbar, {}, ports);
    config.load = 1;
    config.warmup_cycles = 1000;
    config.measure_cycles = 40000;
    EXPECT_NEAR(run_traffic(config).accepted, throughput, 0.006) << ports;
  }
}

TEST(RunTraffic, IsTheSameForTheSameSeedOnly) {
  const TrafficResult once = run_traffic(small(0.25, 3));
  const TrafficResult again = run_traffic(small(0.25, 3));
  EXPECT_EQ(once.link_flits, again.link_flits);
  EXPECT_EQ(once.latency.mean, again.latency.mean);
  TrafficConfig other = small(0.25, 3);
  other.seed = 2;
  EXPECT_NE(run_traffic(other).link_flits, once.link_flits);
}

TEST(RunTraffic, SaysThatTheMachineIsSaturatedAndHowMuchItStillCarries) {
  // Transpose on 4 x 4 fits 1 / 3 at best.
  TrafficConfig config = small(0.3, 1);
  config.pattern.kind = Pattern::kTranspose;
  EXPECT_FALSE(run_traffic(config).saturated);
  config.load = 0.6;
  const TrafficResult result = run_traffic(config);
  EXPECT_TRUE(result.saturated);
  EXPECT_EQ(result.drain_cycles, 0U);
  EXPECT_LT(result.accepted, 0.55);
  EXPECT_GT(result.accepted, 0.3);
}

TEST(RunTraffic, SaysThatTheDrainDidNotEnd) {
  TrafficConfig config = small(0.2, 8);
  config.machine.link.latency_cycles = 300;
  config.machine.node.buffer_flits = 1024;
  config.warmup_cycles = 5000;  // several times the way of a packet
  config.drain_cycles = 10;
  const TrafficResult result = run_traffic(config);
  EXPECT_TRUE(result.saturated);
  EXPECT_EQ(result.drain_cycles, 10U);
}

TEST(RunTraffic, BufferOfTheRoundTripOfACreditCarriesTheWholeLink) {
  // Every link of a ring's one direction has one sender. Packets of one flit at load 1: something always waits.
  TrafficConfig config = test::traffic_on(TopologyKind::kRing, {5});
  config.pattern.kind = Pattern::kNeighbour;
  config.load = 1;
  config.machine.node.slot_buffer_flits = 16;
  config.warmup_cycles = 200;
  config.measure_cycles = 1000;
  for (const std::uint32_t latency : {1U, 4U, 16U}) {
    config.machine.link.latency_cycles = latency;
    config.machine.node.buffer_flits = 2 * latency;
    EXPECT_EQ(run_traffic(config).accepted, 1) << latency << " cycles";
    if (latency == 1) continue;  // a buffer has at least 2 flits
    config.machine.node.buffer_flits = latency;
    EXPECT_NEAR(run_traffic(config).accepted, 0.5, 0.01) << latency << " cycles";
  }
  // With a pipeline it is a cycle longer.
  config.machine.link.latency_cycles = 4;
  config.machine.node.router_pipeline = true;
  config.machine.node.buffer_flits = 8;
  EXPECT_NEAR(run_traffic(config).accepted, 8. / 9, 0.01);
  config.machine.node.buffer_flits = 16;
  EXPECT_EQ(run_traffic(config).accepted, 1);
}

TEST(RunTraffic, LinksCarryWhatTheRoutesSay) {
  TrafficConfig config = small(0.2, 2);
  config.measure_cycles = 40000;
  const TrafficBounds bounds = bounds_of(config);
  const TrafficResult result = run_traffic(config);
  ASSERT_EQ(result.link_flits.size(), bounds.channel_loads.size());
  std::uint64_t sum = 0;
  for (std::size_t link = 0; link < bounds.channel_loads.size(); ++link) {
    const double expected = bounds.channel_loads[link] * 0.2;
    EXPECT_NEAR(static_cast<double>(result.link_flits[link]) / 40000, expected, 0.06 * expected) << link;
    sum += result.link_flits[link];
  }
  EXPECT_EQ(result.window.flit_hops, sum);
}

TEST(RunTraffic, MoreChannelsCarryMore) {
  // Two slots per router, two classes: four virtual channels per link of a ring.
  TrafficConfig config = test::traffic_on(TopologyKind::kRing, {8}, 2);
  config.packet_flits = 8;
  config.load = 0.45;
  config.warmup_cycles = 500;
  config.measure_cycles = 6000;
  const double one = run_traffic(config).accepted;
  config.classes = 2;
  EXPECT_GT(run_traffic(config).accepted, one * 1.05);
}

TEST(RunTraffic, HotEndpointLimitsAll) {
  TrafficConfig config = small(0.5, 1);
  config.pattern = {.kind = Pattern::kHotspot, .hot_endpoints = {5}, .hot_share = 0.5};
  const TrafficResult result = run_traffic(config);
  EXPECT_TRUE(result.saturated);
  EXPECT_LE(result.accepted, bounds_of(config).capacity * 1.01);
  EXPECT_GT(result.accepted, bounds_of(config).capacity * 0.9);
}

TEST(RunTraffic, RunsOnFourThousandRouters) {
  TrafficConfig config = test::traffic_on(TopologyKind::kMesh, {64, 64});
  config.load = 0.005;
  config.warmup_cycles = 50;
  config.measure_cycles = 150;
  const TrafficResult result = run_traffic(config);
  EXPECT_FALSE(result.saturated);
  EXPECT_GT(result.latency.packets, 2000U);
  EXPECT_GT(result.latency.max, 100U);
}

TEST(RunTraffic, AnswersWithTheErrorOfTheProgressFunction) {
  TrafficConfig config = small(0.3, 4);
  config.measure_cycles = 1'000'000'000;
  config.progress = [](const TrafficProgress& progress) {
    EXPECT_EQ(progress.cycles, 1'000'000'500U);
    throw std::runtime_error("enough");
  };
  EXPECT_THROW(static_cast<void>(run_traffic(config)), std::runtime_error);
}

TEST(RunTraffic, RefusesWhatCannotBeSent) {
  const auto complaint = [](const TrafficConfig& config) {
    try {
      static_cast<void>(run_traffic(config));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(complaint(small(1.5, 1)),
            "the load is 1.500000; it must be more than 0 and at most 1 flit per endpoint per cycle");
  EXPECT_NE(complaint(small(0.1, 0)).find("a packet is 0"), std::string::npos);
  TrafficConfig torus = test::traffic_on(TopologyKind::kTorus, {4, 4});
  torus.classes = 3;
  EXPECT_EQ(complaint(torus), "the number of message classes is 3; it must be 1 to 2");
}

TEST(RunExchange, TakesNoLessThanTheBound) {
  for (const std::uint32_t flits : {1U, 4U}) {
    const ExchangeResult result = run_exchange(small(0.1, flits));
    EXPECT_EQ(result.bound, 16U * flits);
    EXPECT_GE(result.cycles, result.bound);
    EXPECT_LE(result.cycles, 3 * result.bound);
  }
}

TEST(RunExchange, OnACrossbarIsAsFastAsItsPorts) {
  // Every slot sends to the next, then to the one after it, and so on: no two packets meet.
  TrafficConfig config = test::traffic_on(TopologyKind::kCrossbar, {}, 6);
  config.packet_flits = 3;
  EXPECT_EQ(run_exchange(config).bound, 15U);
  EXPECT_EQ(run_exchange(config).cycles, 15U + 1);
}

}  // namespace
}  // namespace tidings::traffic
