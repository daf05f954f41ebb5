// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/traffic/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/analysis/routes.h"
#include "sim/machine/topology.h"
#include "sim/traffic/destinations.h"

namespace tidings::traffic {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Adds up the packets for one router, which all routes lead to as to the root of a tree.
class Inflow {
 public:
  Inflow(const Topology& topology, const Routes& routes, NodeIndex root)
      : ports_(topology.nodes()), known_(topology.nodes()), ways_(topology.nodes()), by_distance_(topology.nodes()) {
    const NodeId id = topology.id(root);
    known_[root.value] = true;
    std::vector<std::uint32_t> way;
    for (std::uint32_t start = 0; start < topology.nodes(); ++start) {
      std::uint32_t node = start;
      for (; !known_[node]; node = routes.neighbour(node, ports_[node])) {
        ports_[node] = routes.port(node, id);
        way.push_back(node);
      }
      for (Way sum = ways_[node]; !way.empty(); way.pop_back()) {
        const std::uint64_t latency = routes.latency(way.back(), ports_[way.back()]);
        sum = {.hops = sum.hops + 1, .cycles = sum.cycles + latency, .slowest = std::max(sum.slowest, latency)};
        ways_[way.back()] = sum;
        known_[way.back()] = true;
      }
    }
    std::iota(by_distance_.begin(), by_distance_.end(), 0);
    std::sort(by_distance_.begin(), by_distance_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return ways_[a].hops > ways_[b].hops; });
  }

  [[nodiscard]] const Way& way(std::uint32_t node) const { return ways_[node]; }

  /// @param packets that start at each router; afterwards what passes it.
  void add_up(const Routes& routes, std::uint32_t ports, std::vector<double>& packets,
              std::vector<double>& channel_loads) const {
    for (const std::uint32_t node : by_distance_) {
      if (ways_[node].hops == 0 || packets[node] == 0) continue;
      channel_loads[std::size_t{node} * ports + ports_[node]] += packets[node];
      packets[routes.neighbour(node, ports_[node])] += packets[node];
    }
  }

 private:
  std::vector<std::uint8_t> ports_;  ///< of each router, towards the root
  std::vector<bool> known_;
  std::vector<Way> ways_;                   ///< from each router
  std::vector<std::uint32_t> by_distance_;  ///< farthest first
};

double bisection_bound(const Topology& topology) {
  if (topology.is_graph()) {
    if (topology.hosts() < 2) return kInfinite;
    const double part = double(topology.hosts() / 2) / topology.hosts();
    return topology.bisection_links() / 2.0 / (topology.endpoints() * part * (1 - part));
  }
  double bound = kInfinite;
  for (std::uint32_t d = 0; d < topology.dims(); ++d) {
    const std::uint32_t length = topology.radix()[d];
    if (length < 2) continue;
    const double links = double(topology.nodes()) / length * (topology.wrap()[d] ? 2 : 1);
    const double part = double(length / 2) / length;
    const double crossing = double(topology.nodes()) * topology.slots() * part * (1 - part);
    bound = std::min(bound, links / crossing);
  }
  return bound;
}

}  // namespace

std::uint64_t zero_load_latency(const TrafficConfig& config, std::uint64_t hops) {
  const std::uint64_t latency = config.machine.link.latency_cycles;
  return zero_load_latency(config, Way{.hops = hops, .cycles = hops * latency, .slowest = latency});
}

std::uint64_t zero_load_latency(const TrafficConfig& config, const Way& way) {
  constexpr std::uint64_t kSlotWires = 2;  ///< into the first router and out of the last
  const std::uint64_t pipeline = config.machine.node.router_pipeline ? 1 : 0;
  const std::uint64_t buffer = config.machine.node.buffer_flits;
  const std::uint64_t after_head = config.packet_flits - 1;
  const std::uint64_t credit = 2 * way.slowest + pipeline;  // the round trip
  const std::uint64_t pause = way.hops == 0 || buffer >= credit ? 0 : credit - buffer;
  return kSlotWires + way.cycles + (way.hops + 1) * pipeline + after_head + after_head / buffer * pause;
}

TrafficBounds bounds_of(const TrafficConfig& config) {
  validate(config);
  const Topology topology(config.machine.topology);
  const Destinations destinations(topology, config.pattern);
  const Routes routes(node_parameters(config), config.machine.link.latency_cycles, topology);
  TrafficBounds result;
  result.channel_loads.resize(std::size_t{topology.nodes()} * topology.ports());
  std::vector<double> packets(topology.nodes());
  const double endpoints = destinations.endpoints();
  for (std::uint32_t to = 0; to < topology.hosts(); ++to) {
    const Inflow inflow(topology, routes, NodeIndex{to});
    for (std::uint32_t from = 0; from < topology.nodes(); ++from) {
      packets[from] = from < topology.hosts() ? destinations.node_share(from, to) : 0;
      result.mean_hops += packets[from] * static_cast<double>(inflow.way(from).hops) / endpoints;
      result.zero_load_latency +=
          packets[from] * static_cast<double>(zero_load_latency(config, inflow.way(from))) / endpoints;
    }
    inflow.add_up(routes, topology.ports(), packets, result.channel_loads);
  }
  const auto busiest = std::max_element(result.channel_loads.begin(), result.channel_loads.end());
  result.channel_bound = kInfinite;
  if (busiest != result.channel_loads.end() && *busiest > 0) {
    const auto place = static_cast<std::uint32_t>(busiest - result.channel_loads.begin());
    result.busiest_node = NodeIndex{place / topology.ports()};
    result.busiest_port = PortId{static_cast<std::uint8_t>(place % topology.ports())};
    result.channel_bound = 1 / *busiest;
  }
  double port_load = 1;  // of a source's port
  for (std::uint32_t to = 0; to < destinations.endpoints(); ++to) {
    port_load = std::max(port_load, destinations.arrivals(to));
  }
  result.port_bound = 1 / port_load;
  result.capacity = std::min(result.channel_bound, result.port_bound);
  result.bisection_bound = bisection_bound(topology);
  return result;
}

std::uint64_t exchange_bound(const TrafficConfig& config) {
  TrafficConfig exchange = config;
  exchange.pattern.kind = Pattern::kAllToAll;
  const TrafficBounds bounds = bounds_of(exchange);
  const Topology topology(config.machine.topology);
  const double packets = topology.endpoints() - 1.0;
  return static_cast<std::uint64_t>(std::llround(packets * config.packet_flits / bounds.capacity));
}

}  // namespace tidings::traffic
