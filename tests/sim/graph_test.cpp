// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/graph.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/analysis/channel_graph.h"
#include "sim/machine/topology.h"

namespace tidings {
namespace {

using Rows = std::vector<std::vector<std::uint32_t>>;

TopologyConfig graph(std::uint32_t routers, std::vector<GraphLink> links, std::uint32_t hosts = 0) {
  TopologyConfig config{.kind = TopologyKind::kGraph};
  config.graph = {.routers = routers, .hosts = hosts, .links = std::move(links)};
  return config;
}

/// Routers 0 to 2 with slots around the switch 3.
TopologyConfig star() { return graph(4, {{0, 3}, {1, 3, 7}, {2, 3}}, 3); }

/// A fat tree of two pods: edge routers 0 to 3, aggregation routers 4 to 7, core routers 8 to 11.
TopologyConfig fat_tree() {
  TopologyConfig config = graph(12,
                                {{0, 4},
                                 {0, 5},
                                 {1, 4},
                                 {1, 5},
                                 {2, 6},
                                 {2, 7},
                                 {3, 6},
                                 {3, 7},
                                 {4, 8},
                                 {4, 9},
                                 {5, 10},
                                 {5, 11},
                                 {6, 8},
                                 {6, 9},
                                 {7, 10},
                                 {7, 11}},
                                4);
  config.graph.roots = {8, 9, 10, 11};
  return config;
}

/// Follow the tables.
std::vector<std::uint32_t> route(const Graph& graph, std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> routers{from};
  while (routers.back() != to) {
    const RouteRow row = graph.table(NodeIndex{routers.back()})[to];
    routers.push_back(graph.neighbour(NodeIndex{routers.back()}, PortId{row.port})->node.value);
  }
  return routers;
}

std::string refusal(const TopologyConfig& config) {
  try {
    validate(config);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Graph, NumbersPortsInTheOrderOfLinks) {
  const Topology topology(star());
  EXPECT_EQ(topology.ports(), 3U);
  EXPECT_EQ(topology.neighbour(NodeIndex{1}, PortId{0}), (Topology::NetworkPort{NodeIndex{3}, PortId{1}}));
  EXPECT_EQ(topology.neighbour(NodeIndex{3}, PortId{2}), (Topology::NetworkPort{NodeIndex{2}, PortId{0}}));
  EXPECT_EQ(topology.neighbour(NodeIndex{1}, PortId{1}), std::nullopt);
  EXPECT_EQ(topology.latency(NodeIndex{3}, PortId{1}), 7U);
  EXPECT_EQ(topology.latency(NodeIndex{1}, PortId{0}), 7U);
  EXPECT_EQ(topology.latency(NodeIndex{0}, PortId{0}), std::nullopt);
}

TEST(Graph, RanksSitInTheRoutersWithSlots) {
  TopologyConfig config = star();
  config.slots = 2;
  const Topology topology(config, 5);
  EXPECT_EQ(topology.nodes(), 4U);  // never cut
  EXPECT_EQ(topology.endpoints(), 6U);
  EXPECT_EQ(topology.endpoint(5), (Endpoint{NodeId{2}, SlotId{1}}));
  EXPECT_THROW(Topology(config, 7), std::invalid_argument);
}

TEST(Graph, RoutesGoUpAndThenDown) {
  const Graph tree(fat_tree());
  for (std::uint32_t from = 0; from < 4; ++from) {
    for (std::uint32_t to = 0; to < 4; ++to) {
      const std::size_t hops = from == to ? 0 : from / 2 == to / 2 ? 2 : 4;
      EXPECT_EQ(route(tree, from, to).size(), hops + 1) << from << " to " << to;
    }
  }
}

TEST(Graph, EquallyShortRoutesAreSharedOut) {
  const Graph tree(fat_tree());
  std::vector<std::uint32_t> through(12);
  for (std::uint32_t from = 0; from < 2; ++from) {
    for (std::uint32_t to = 2; to < 4; ++to) ++through[route(tree, from, to)[2]];
  }
  EXPECT_EQ(through[8] + through[9], 2U);
  EXPECT_EQ(through[10] + through[11], 2U);
}

TEST(Graph, FiguresOfAFatTree) {
  const Topology tree(fat_tree());
  EXPECT_EQ(tree.hops().most, 4U);
  EXPECT_DOUBLE_EQ(tree.hops().mean, (2 + 4 + 4) / 3.0);
  EXPECT_EQ(tree.bisection_links(), 8U);  // both uplinks of each edge router of a half, both directions
  EXPECT_EQ(Topology(graph(3, {{0, 1}, {1, 2}})).bisection_links(), 2U);
}

TEST(Graph, ChannelsOfAnyUpDownGraphHaveNoCycle) {
  std::mt19937 generator(7);
  const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t routers = 2 + random() % 20;
    std::vector<GraphLink> links;
    Rows joined(routers, std::vector<std::uint32_t>(routers));
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
      if (a == b || joined[a][b] != 0) return;
      joined[a][b] = joined[b][a] = 1;
      links.push_back({.a = a, .b = b});
    };
    for (std::uint32_t r = 1; r < routers; ++r) join(r, random() % r);
    for (std::uint32_t more = random() % (2 * routers); more > 0; --more) join(random() % routers, random() % routers);
    MachineConfig machine;
    machine.topology = graph(routers, links, 1 + random() % routers);
    machine.node.num_routes = 0;
    if (refusal(machine.topology).find("has no port left") != std::string::npos) continue;
    validate(machine);
    const ChannelGraph channels = channel_graph(Topology(machine.topology), node_parameters(machine), 2);
    EXPECT_FALSE(numbering(channels).empty()) << "graph " << i << " of " << routers << " routers";
  }
}

TEST(Graph, TableIsFollowed) {
  TopologyConfig ring = graph(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  ring.graph.routing = Routing::kTable;
  ring.graph.next = {{0, 1, 1, 1}, {2, 1, 2, 2}, {3, 3, 2, 3}, {0, 0, 0, 3}};  // always the same way round
  EXPECT_EQ(route(Graph(ring), 1, 0), (std::vector<std::uint32_t>{1, 2, 3, 0}));
  EXPECT_EQ(Topology(ring).layers(), 1U);
  MachineConfig machine;
  machine.topology = ring;
  machine.node.num_routes = 0;
  EXPECT_TRUE(numbering(channel_graph(Topology(ring), node_parameters(machine), 2)).empty());
  // On layer 1 from router 0 on, as behind a dateline.
  machine.topology.graph.layers = {{0, 1, 1, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}, {0, 0, 0, 0}};
  const Topology layered(machine.topology);
  EXPECT_EQ(layered.layers(), 2U);
  EXPECT_FALSE(numbering(channel_graph(layered, node_parameters(machine), 2)).empty());
}

TEST(Graph, MistakesAreRefusedWithTheirPlace) {
  EXPECT_EQ(refusal(graph(3, {{0, 1}, {1, 3}})),
            "topology.links: link 1 [1, 3]: there is no router 3; routers are 0 to 2");
  EXPECT_EQ(refusal(graph(2, {{0, 1}, {1, 0}})), "topology.links: link 1 [1, 0]: these routers are joined already");
  EXPECT_EQ(refusal(graph(2, {{0, 1}, {1, 1}})), "topology.links: link 1 [1, 1] joins a router with itself");
  EXPECT_EQ(refusal(graph(4, {{0, 1}, {2, 3}})), "topology.links: router 2 cannot be reached from router 0");
  std::vector<GraphLink> many;
  for (std::uint32_t i = 1; i <= 24; ++i) many.push_back({.a = 0, .b = i});
  EXPECT_EQ(
      refusal(graph(25, many)),
      "topology.links: link 23 [0, 24]: router 0 has no port left for it; a router has at most 24 ports, 1 of them "
      "for slots");
  EXPECT_NE(refusal(graph(5000, {})).find("topology.routers: is 5000"), std::string::npos);
  EXPECT_NE(refusal(graph(2, {{0, 1}}, 3)).find("topology.hosts: is 3"), std::string::npos);
  TopologyConfig roots = star();
  roots.graph.roots = {4};
  EXPECT_EQ(refusal(roots), "topology.roots: there is no router 4; routers are 0 to 3");
  TopologyConfig apart = graph(3, {{0, 2}, {1, 2}});
  apart.graph.roots = {0, 1};  // 2 is below both, so nothing leads from one to the other
  EXPECT_EQ(refusal(apart),
            "topology.roots: from router 1 no way that goes up and then down leads to router 0: choose other roots");
}

TEST(Graph, TablesThatLeadNowhereAreRefused) {
  TopologyConfig ring = graph(3, {{0, 1}, {1, 2}});
  ring.graph.routing = Routing::kTable;
  EXPECT_EQ(refusal(ring), "topology.next: has 0 rows; each of the 3 routers needs one");
  ring.graph.next = {{0, 1, 1}, {0, 1}, {1, 1, 2}};
  EXPECT_EQ(refusal(ring),
            "topology.next: the row of router 1 has 2 entries; each of the 3 routers with slots needs one");
  ring.graph.next = {{0, 1, 1}, {0, 1, 0}, {1, 1, 2}};
  EXPECT_EQ(refusal(ring), "topology.next: the way to router 2 loops: 0, 1, 0");
  ring.graph.next = {{0, 1, 2}, {0, 1, 2}, {1, 1, 2}};
  EXPECT_EQ(refusal(ring), "topology.next: router 0 towards router 2: router 2 is no neighbour");
  ring.graph.next = {{1, 1, 1}, {0, 1, 2}, {1, 1, 2}};
  EXPECT_EQ(refusal(ring), "topology.next: router 0 towards router 0: router 1 instead of itself");
  ring.graph.next = {{0, 1, 1}, {0, 1, 2}, {1, 1, 2}};
  ring.graph.layers = {{0, 0, 2}, {0, 0, 0}, {0, 0, 0}};
  EXPECT_EQ(refusal(ring), "topology.layers: router 0 towards router 2: there are the layers 0 and 1, not 2");
}

}  // namespace
}  // namespace tidings
