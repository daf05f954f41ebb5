// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/graph.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>

namespace tidings {
namespace {

constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

std::string text(std::uint64_t number) { return std::to_string(number); }

[[noreturn]] void refuse(const std::string& key, const std::string& what) {
  throw std::invalid_argument("topology." + key + ": " + what);
}

std::string router_range(std::uint32_t routers) { return "routers are 0 to " + text(routers - 1); }

}  // namespace

Graph::Graph(const TopologyConfig& config) : routers_(config.graph.routers), hosts_(config.graph.hosts) {
  if (routers_ < 1 || routers_ > kMaxRouters) {
    refuse("routers", "is " + text(routers_) + "; a graph has 1 to " + text(kMaxRouters) + " routers");
  }
  if (hosts_ == 0) hosts_ = routers_;
  if (hosts_ > routers_) {
    refuse("hosts", "is " + text(hosts_) + "; of " + text(routers_) + " routers at most all have slots");
  }
  const auto refuse_of = [&](bool given, const char* key, Routing routing, const char* name) {
    if (given && config.graph.routing != routing) refuse(key, std::string("is for routing = \"") + name + "\"");
  };
  refuse_of(!config.graph.roots.empty(), "roots", Routing::kUpDown, "up-down");
  refuse_of(!config.graph.next.empty(), "next", Routing::kTable, "table");
  refuse_of(!config.graph.layers.empty(), "layers", Routing::kTable, "table");
  join(config);
  check_connected();
  table_.resize(std::size_t{routers_} * hosts_);
  if (config.graph.routing == Routing::kTable) {
    read_table(config.graph);
  } else {
    route_up_down(config.graph);
  }
  check_routes();
}

void Graph::join(const TopologyConfig& config) {
  ends_.resize(routers_);
  std::size_t number = 0;
  for (const GraphLink& link : config.graph.links) {
    const std::string name = "link " + text(number++) + " [" + text(link.a) + ", " + text(link.b) + "]";
    for (const std::uint32_t end : {link.a, link.b}) {
      if (end >= routers_) refuse("links", name + ": there is no router " + text(end) + "; " + router_range(routers_));
    }
    if (link.a == link.b) refuse("links", name + " joins a router with itself");
    if (link.latency_cycles > kMostLatency) {
      refuse("links", name + " has a latency of " + text(link.latency_cycles) + " cycles; at most " +
                          text(kMostLatency) + " are possible");
    }
    const auto port_a = static_cast<std::uint8_t>(ends_[link.a].size());
    const auto port_b = static_cast<std::uint8_t>(ends_[link.b].size());
    for (const End& end : ends_[link.a]) {
      if (end.router == link.b) refuse("links", name + ": these routers are joined already");
    }
    for (const std::uint32_t end : {link.a, link.b}) {
      if (ends_[end].size() + config.slots >= kMaxPorts) {
        refuse("links", name + ": router " + text(end) + " has no port left for it; a router has at most " +
                            text(kMaxPorts) + " ports, " + text(config.slots) + " of them for slots");
      }
    }
    ends_[link.a].push_back({.router = link.b, .port = port_b, .latency = link.latency_cycles});
    ends_[link.b].push_back({.router = link.a, .port = port_a, .latency = link.latency_cycles});
  }
  for (const auto& ends : ends_) ports_ = std::max(ports_, static_cast<std::uint32_t>(ends.size()));
}

std::optional<Graph::NetworkPort> Graph::neighbour(NodeIndex node, PortId port) const {
  const auto& ends = ends_[node.value];
  if (port.value >= ends.size()) return std::nullopt;
  return NetworkPort{.node = NodeIndex{ends[port.value].router}, .port = PortId{ends[port.value].port}};
}

std::optional<std::uint32_t> Graph::latency(NodeIndex node, PortId port) const {
  const auto& ends = ends_[node.value];
  if (port.value >= ends.size() || ends[port.value].latency == 0) return std::nullopt;
  return ends[port.value].latency;
}

void Graph::check_connected() const {
  std::vector<bool> reached(routers_);
  std::vector<std::uint32_t> open{0};
  reached[0] = true;
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const End& end : ends_[open[i]]) {
      if (reached[end.router]) continue;
      reached[end.router] = true;
      open.push_back(end.router);
    }
  }
  const auto missing = std::ranges::find(reached, false);
  if (missing != reached.end()) {
    refuse("links", "router " + text(static_cast<std::uint64_t>(missing - reached.begin())) +
                        " cannot be reached from router 0");
  }
}

/// Up*/down* routing by destination alone (M. D. Schroeder et al., "Autonet: a high-speed, self-configuring local area
/// network using point-to-point links", IEEE Journal on Selected Areas in Communications 9(8), 1991). A packet goes up
/// until a way that leads down only reaches its destination, and takes that way. So it never goes up after it has gone
/// down, whatever router it came from, and channels cannot wait for each other in a cycle.
void Graph::route_up_down(const GraphConfig& config) {
  std::vector<std::uint32_t> roots = config.roots;
  if (roots.empty()) {
    const auto most = std::ranges::max_element(ends_, {}, [](const std::vector<End>& ends) { return ends.size(); });
    roots.push_back(static_cast<std::uint32_t>(most - ends_.begin()));
  }
  std::vector<std::uint32_t> level(routers_, kUnknown);
  for (const std::uint32_t root : roots) {
    if (root >= routers_) refuse("roots", "there is no router " + text(root) + "; " + router_range(routers_));
    level[root] = 0;
  }
  for (std::size_t i = 0; i < roots.size(); ++i) {
    for (const End& end : ends_[roots[i]]) {
      if (level[end.router] != kUnknown) continue;
      level[end.router] = level[roots[i]] + 1;
      roots.push_back(end.router);
    }
  }
  std::vector<std::uint32_t> from_top(routers_);
  std::iota(from_top.begin(), from_top.end(), 0U);
  std::ranges::stable_sort(from_top, {}, [&](std::uint32_t router) { return level[router]; });
  std::vector<std::uint32_t> height(routers_);  // places in that order
  for (std::uint32_t i = 0; i < routers_; ++i) height[from_top[i]] = i;

  // Routes that each port has so far: of the ways that are equally short, the one with the fewest is taken.
  std::vector<std::vector<std::uint32_t>> used(routers_);
  for (std::uint32_t i = 0; i < routers_; ++i) used[i].resize(ends_[i].size());
  std::vector<std::uint32_t> distance;
  for (std::uint32_t host = 0; host < hosts_; ++host) {
    distance.assign(routers_, kUnknown);
    distance[host] = 0;
    std::vector<std::uint32_t> above{host};  // from these a way down leads to the destination
    std::vector<bool> leads_down(routers_);
    leads_down[host] = true;
    for (std::size_t i = 0; i < above.size(); ++i) {
      for (const End& end : ends_[above[i]]) {
        if (height[end.router] > height[above[i]] || leads_down[end.router]) continue;
        leads_down[end.router] = true;
        distance[end.router] = distance[above[i]] + 1;
        above.push_back(end.router);
      }
    }
    for (const std::uint32_t router : from_top) {
      if (router == host) continue;
      std::uint32_t best = kUnknown;
      std::uint32_t nearest = kUnknown;
      for (std::uint32_t port = 0; port < ends_[router].size(); ++port) {
        const std::uint32_t next = ends_[router][port].router;
        const bool down = height[next] > height[router];
        if (down != leads_down[router] || (down && !leads_down[next]) || distance[next] == kUnknown) continue;
        if (distance[next] < nearest || (distance[next] == nearest && used[router][port] < used[router][best])) {
          best = port;
          nearest = distance[next];
        }
      }
      if (best == kUnknown) {
        refuse("roots", "from router " + text(router) + " no way that goes up and then down leads to router " +
                            text(host) + ": choose other roots");
      }
      distance[router] = nearest + 1;
      ++used[router][best];
      row(router, host) = {.layer = false, .port = static_cast<std::uint8_t>(best)};
    }
  }
}

void Graph::read_table(const GraphConfig& config) {
  const auto check_size = [&](const std::string& key, const std::vector<std::vector<std::uint32_t>>& rows) {
    if (rows.size() != routers_) {
      refuse(key, "has " + text(rows.size()) + " rows; each of the " + text(routers_) + " routers needs one");
    }
    for (std::uint32_t router = 0; router < routers_; ++router) {
      if (rows[router].size() == hosts_) continue;
      refuse(key, "the row of router " + text(router) + " has " + text(rows[router].size()) + " entries; each of the " +
                      text(hosts_) + " routers with slots needs one");
    }
  };
  check_size("next", config.next);
  if (!config.layers.empty()) check_size("layers", config.layers);
  for (std::uint32_t router = 0; router < routers_; ++router) {
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      const std::uint32_t next = config.next[router][host];
      const std::uint32_t layer = config.layers.empty() ? 0 : config.layers[router][host];
      const std::string way = "router " + text(router) + " towards router " + text(host);
      if (layer > 1) refuse("layers", way + ": there are the layers 0 and 1, not " + text(layer));
      if (next == router && host == router) continue;
      const auto& ends = ends_[router];
      const auto found = std::ranges::find(ends, next, &End::router);
      if (host == router || found == ends.end()) {
        refuse("next", way + ": router " + text(next) + (host == router ? " instead of itself" : " is no neighbour"));
      }
      row(router, host) = {.layer = layer != 0, .port = static_cast<std::uint8_t>(found - ends.begin())};
    }
  }
}

void Graph::check_routes() const {
  std::vector<std::uint32_t> seen(routers_);
  for (std::uint32_t host = 0; host < hosts_; ++host) {
    std::ranges::fill(seen, kUnknown);
    seen[host] = host;
    for (std::uint32_t from = 0; from < routers_; ++from) {
      std::uint32_t at = from;
      for (; seen[at] == kUnknown; at = ends_[at][table(NodeIndex{at})[host].port].router) seen[at] = from;
      if (seen[at] != from || at == host) continue;
      std::string loop = text(at);
      std::uint32_t next = at;
      do {
        next = ends_[next][table(NodeIndex{next})[host].port].router;
        loop += ", " + text(next);
      } while (next != at);
      refuse("next", "the way to router " + text(host) + " loops: " + loop);
    }
  }
}

}  // namespace tidings
