// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// Bounds computed from routes are those that the literature derives by hand.
#include "sim/traffic/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "tests/traffic/configurations.h"

namespace tidings::traffic {
namespace {

TrafficBounds bounds(TopologyKind kind, std::vector<std::uint32_t> size, Pattern pattern) {
  TrafficConfig config = test::traffic_on(kind, std::move(size));
  config.pattern.kind = pattern;
  return bounds_of(config);
}

TEST(Bounds, UniformTrafficIsBoundByTheBisection) {
  // Dally and Towles, sections 3.3 and 5.2: k-ary n-mesh 4 / k, k-ary n-cube 8 / k; k/3 and k/4 hops per dimension.
  const TrafficBounds mesh = bounds(TopologyKind::kMesh, {8, 8}, Pattern::kUniform);
  EXPECT_NEAR(mesh.channel_bound, 0.5, 1e-12);
  EXPECT_NEAR(mesh.bisection_bound, 0.5, 1e-12);
  EXPECT_NEAR(mesh.capacity, 0.5, 1e-12);
  EXPECT_NEAR(mesh.mean_hops, 2 * (8.0 / 3 - 1.0 / 24), 1e-12);
  const TrafficBounds torus = bounds(TopologyKind::kTorus, {8, 8}, Pattern::kUniform);
  EXPECT_NEAR(torus.bisection_bound, 1, 1e-12);
  EXPECT_NEAR(torus.mean_hops, 4, 1e-12);
  // Packets to the opposite router all go towards +: 10 / 8 channel load, where both ways in turn would give 8 / 8.
  EXPECT_NEAR(torus.channel_bound, 0.8, 1e-12);
  EXPECT_EQ(torus.busiest_port.value % 2, 0);
}

TEST(Bounds, TransposeOnAMeshIsBoundByTheLinksBesideTheDiagonal) {
  const TrafficBounds mesh = bounds(TopologyKind::kMesh, {8, 8}, Pattern::kTranspose);
  EXPECT_NEAR(mesh.channel_bound, 1.0 / 7, 1e-12);
}

TEST(Bounds, TornadoUsesTheLinksOfOneDirection) {
  const TrafficBounds ring = bounds(TopologyKind::kRing, {8}, Pattern::kTornado);
  EXPECT_NEAR(ring.channel_bound, 1.0 / 3, 1e-12);
  for (std::uint32_t node = 0; node < 8; ++node) {
    EXPECT_DOUBLE_EQ(ring.channel_loads[2 * node], 3);
    EXPECT_DOUBLE_EQ(ring.channel_loads[2 * node + 1], 0);
  }
}

TEST(Bounds, ChannelLoadsAddUpToTheHops) {
  for (const Pattern pattern : {Pattern::kUniform, Pattern::kTranspose, Pattern::kBitComplement, Pattern::kAllToAll}) {
    const TrafficBounds torus = bounds(TopologyKind::kTorus, {4, 4, 4}, pattern);
    const double sum = std::accumulate(torus.channel_loads.begin(), torus.channel_loads.end(), 0.0);
    EXPECT_NEAR(sum, 64 * torus.mean_hops, 1e-9);
  }
}

TEST(Bounds, HotEndpointIsBoundByItsPort) {
  TrafficConfig config = test::traffic_on(TopologyKind::kMesh, {4, 4});
  config.pattern = {.kind = Pattern::kHotspot, .hot_endpoints = {5}, .hot_share = 0.5};
  EXPECT_NEAR(bounds_of(config).port_bound, 1 / (16 * 0.5 + 0.5), 1e-12);
}

TEST(Bounds, CrossbarIsBoundByItsPortsAlone) {
  TrafficConfig config = test::traffic_on(TopologyKind::kCrossbar, {}, 4);
  const TrafficBounds bounds = bounds_of(config);
  EXPECT_DOUBLE_EQ(bounds.capacity, 1);
  EXPECT_TRUE(std::isinf(bounds.channel_bound));
  EXPECT_DOUBLE_EQ(bounds.zero_load_latency, 2);
}

TEST(Bounds, ExchangeOnAMeshIsBoundByPortsOrBisection) {
  for (const std::uint32_t k : {2U, 3U, 4U, 6U, 8U}) {
    for (const std::uint32_t m : {1U, 5U}) {
      TrafficConfig config = test::traffic_on(TopologyKind::kMesh, {k, k});
      config.packet_flits = m;
      const std::uint32_t half = k / 2;
      // Both halves' routers, over the k links of one direction; k^3 m / 4 where k is even.
      const std::uint64_t bisection = std::uint64_t{half} * k * (k - half) * k * m / k;
      EXPECT_EQ(exchange_bound(config), std::max<std::uint64_t>((k * k - 1) * m, bisection)) << k << ", " << m;
    }
  }
}

TEST(Bounds, LatencyGrowsByPausesWhereTheBufferIsSmallerThanTheRoundTrip) {
  TrafficConfig config = test::traffic_on(TopologyKind::kMesh, {4, 4});
  config.packet_flits = 9;
  EXPECT_EQ(zero_load_latency(config, 3), 2U + 3 + 8);
  config.machine.link.latency_cycles = 10;
  EXPECT_EQ(zero_load_latency(config, 3), 2U + 30 + 8 + 12);
  EXPECT_EQ(zero_load_latency(config, 0), 2U + 8);
  config.machine.node.router_pipeline = true;  // a cycle more in each router, and for a credit
  EXPECT_EQ(zero_load_latency(config, 3), 2U + 30 + 4 + 8 + 13);
  EXPECT_EQ(zero_load_latency(config, 0), 2U + 1 + 8);
}

}  // namespace
}  // namespace tidings::traffic
