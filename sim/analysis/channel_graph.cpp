// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/analysis/channel_graph.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>

#include "sim/analysis/static_trees.h"
#include "sim/cycle/route_compute.h"

namespace tidings {
namespace {

using cycle::RouteCompute;

/// Where a packet waits, whatever its class: in the buffer of an output port, or in that of a slot's injection.
/// One bit each: port * 2 + dateline of the network ports, then the ejection and the injection of all slots.
constexpr unsigned kEjectionBit = 2 * kMaxPorts, kInjectionBit = kEjectionBit + 1, kPlaces = kInjectionBit + 1;
constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

/// Follows the routes to one destination after another.
class Follower {
 public:
  Follower(const Topology& topology, const NodeParameters& parameters, bool dateline)
      : topology_(topology),
        dateline_(dateline),
        successors_(std::size_t{topology.nodes()} * kPlaces),
        hops_(successors_.size()),
        stamp_(successors_.size(), kUnknown) {
    for (std::uint32_t i = 0; i < topology.nodes(); ++i) {
      routers_.emplace_back(parameters, topology.place(NodeIndex{i}));
      coordinates_.push_back(topology.coordinates(NodeIndex{i}));
      for (std::uint8_t port = 0; port < topology.ports(); ++port) {
        const auto link = topology.neighbour(NodeIndex{i}, PortId{port});
        neighbours_.push_back(link ? link->node.value : kUnknown);
      }
    }
  }

  void follow_all() {
    for (std::uint32_t to = 0; to < topology_.hosts(); ++to) {
      for (std::uint32_t from = 0; from < topology_.hosts(); ++from) follow(from, to);
    }
  }

  /// Places of the next router that a packet in this place can want; 0 if no packet comes.
  [[nodiscard]] std::uint64_t successors(std::uint32_t node, unsigned place) const {
    return successors_[std::size_t{node} * kPlaces + place];
  }
  [[nodiscard]] std::uint32_t next_router(std::uint32_t node, unsigned place) const {
    return place < kEjectionBit ? neighbours_[node * topology_.ports() + place / 2] : node;
  }
  [[nodiscard]] std::uint64_t longest_route() const { return longest_; }

 private:
  static constexpr unsigned kNodeShift = 12;  // of the destination in the first header word

  void follow(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t header = std::uint32_t{topology_.id(NodeIndex{to}).value} << kNodeShift;
    path_.clear();
    std::size_t at = std::size_t{from} * kPlaces + kInjectionBit;
    unsigned dimension = kMaxDims;
    bool dateline = false;
    std::uint32_t router = from;
    std::uint32_t rest = 0;
    while (stamp_[at] != to) {
      if (path_.size() > successors_.size()) fail(from, to, "runs in a circle");
      path_.push_back(at);
      const RouteCompute::Way way = routers_[router](header, dimension, dateline);
      if (way.port >= topology_.ports()) {
        if (router != to) fail(from, to, "ends at router " + std::to_string(router));
        successors_[at] |= std::uint64_t{1} << kEjectionBit;
        break;
      }
      const unsigned place = 2U * way.port + (dateline_ && way.dateline ? 1 : 0);
      successors_[at] |= std::uint64_t{1} << place;
      at = std::size_t{router} * kPlaces + place;
      router = neighbours_[router * topology_.ports() + way.port];
      if (router == kUnknown) fail(from, to, "leaves the machine");
      dimension = way.port / 2U;
      dateline = way.dateline;
    }
    if (stamp_[at] == to) rest = hops_[at] + 1;
    for (auto place = path_.rbegin(); place != path_.rend(); ++place) {
      stamp_[*place] = to;
      hops_[*place] = rest++;
    }
    const std::uint32_t hops = hops_[std::size_t{from} * kPlaces + kInjectionBit];
    if (!topology_.is_graph() && hops != distance(from, to))
      fail(from, to, "has " + std::to_string(hops) + " hops, which is not shortest");
    longest_ = std::max<std::uint64_t>(longest_, hops);
  }

  [[nodiscard]] std::uint32_t distance(std::uint32_t from, std::uint32_t to) const {
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d < topology_.dims(); ++d) {
      const std::uint32_t a = coordinates_[from][d], b = coordinates_[to][d];
      const std::uint32_t direct = a > b ? a - b : b - a;
      sum += topology_.wrap()[d] ? std::min(direct, topology_.radix()[d] - direct) : direct;
    }
    return sum;
  }

  [[noreturn]] static void fail(std::uint32_t from, std::uint32_t to, const std::string& what) {
    throw std::logic_error("the route from router " + std::to_string(from) + " to router " + std::to_string(to) + " " +
                           what);
  }

  const Topology& topology_;
  bool dateline_;
  std::vector<RouteCompute> routers_;
  std::vector<std::vector<std::uint16_t>> coordinates_;
  std::vector<std::uint32_t> neighbours_;  ///< node * ports + port
  std::vector<std::uint64_t> successors_;  ///< node * kPlaces + place: one bit a place of the next router
  std::vector<std::uint32_t> hops_;        ///< likewise: to the destination of `stamp_`
  std::vector<std::uint32_t> stamp_;       ///< likewise: the last destination that was followed through here
  std::vector<std::size_t> path_;
  std::uint64_t longest_ = 0;
};

/// Dependencies of each channel, side by side.
class Adjacency {
 public:
  explicit Adjacency(const ChannelGraph& graph) : begin_(graph.channels.size() + 1) {
    to_.reserve(graph.dependencies.size());
    for (const Dependency& dependency : graph.dependencies) {
      ++begin_[dependency.from + 1];
      to_.push_back(dependency.to);
    }
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  }
  template <typename Function>
  void for_each(std::uint32_t from, Function&& function) const {
    for (std::uint32_t i = begin_[from]; i < begin_[from + 1]; ++i) function(to_[i]);
  }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> to_;
};

/// Channels in an order in which each comes after all that can wait for it; those behind a cycle are missing.
/// Calls `visit(from, to)` for each dependency on the way.
template <typename Visit>
std::vector<std::uint32_t> peel(const ChannelGraph& graph, const Adjacency& adjacency, Visit&& visit) {
  std::vector<std::uint32_t> waiting(graph.channels.size());
  for (const Dependency& dependency : graph.dependencies) ++waiting[dependency.to];
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i] == 0) order.push_back(i);
  }
  for (std::size_t done = 0; done < order.size(); ++done) {
    const std::uint32_t from = order[done];
    adjacency.for_each(from, [&](std::uint32_t to) {
      visit(from, to);
      if (--waiting[to] == 0) order.push_back(to);
    });
  }
  return order;
}

}  // namespace

ChannelGraph channel_graph(const Topology& topology, const NodeParameters& parameters, std::uint32_t classes,
                           bool dateline, const StaticPackets& packets) {
  if (classes < 1 || classes > 2) {
    throw std::invalid_argument("there are 1 or 2 message classes, not " + std::to_string(classes));
  }
  Follower follower(topology, parameters, dateline);
  follower.follow_all();

  const auto place_of = [&](const Channel& channel) -> std::size_t {
    const bool behind = dateline && channel.channel >= classes;
    const unsigned place = channel.kind == Channel::Kind::kLink       ? 2U * channel.port + (behind ? 1 : 0)
                           : channel.kind == Channel::Kind::kEjection ? kEjectionBit
                                                                      : kInjectionBit;
    return std::size_t{channel.node.value} * kPlaces + place;
  };
  std::vector<Wait> waits;
  std::vector<bool> in_tree(std::size_t{topology.nodes()} * kPlaces);
  if (parameters.num_routes != 0) {
    NodeParameters router = parameters;
    router.num_classes = classes;
    waits = tree_waits(topology, router, packets);
    for (const Wait& wait : waits) in_tree[place_of(wait.from)] = in_tree[place_of(wait.to)] = true;
  }

  ChannelGraph graph;
  graph.routes = std::uint64_t{topology.hosts()} * topology.hosts();
  graph.longest_route = follower.longest_route();
  // First channel of each place: its virtual channels of all classes and, at slots, all slots follow.
  std::vector<std::uint32_t> first(std::size_t{topology.nodes()} * kPlaces, kUnknown);
  const auto slots = static_cast<std::uint8_t>(topology.slots());
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    for (unsigned place = 0; place < kPlaces; ++place) {
      const bool used = (place >= kEjectionBit && node < topology.hosts()) || follower.successors(node, place) != 0 ||
                        in_tree[std::size_t{node} * kPlaces + place];
      if (!used) continue;
      first[std::size_t{node} * kPlaces + place] = static_cast<std::uint32_t>(graph.channels.size());
      const bool link = place < kEjectionBit;
      for (std::uint32_t c = 0; c < classes; ++c) {
        for (std::uint8_t slot = 0; slot < (link ? 1 : slots); ++slot) {
          graph.channels.push_back({.node = NodeIndex{node},
                                    .kind = link                    ? Channel::Kind::kLink
                                            : place == kEjectionBit ? Channel::Kind::kEjection
                                                                    : Channel::Kind::kInjection,
                                    .port = link ? static_cast<std::uint8_t>(place / 2) : slot,
                                    .channel = static_cast<std::uint8_t>((link ? place % 2 * classes : 0) + c)});
        }
      }
    }
  }
  const auto add = [&](std::uint32_t from, std::uint32_t to) {
    graph.dependencies.push_back({.from = from, .to = to});
  };
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    for (unsigned place = 0; place < kPlaces; ++place) {
      const std::uint32_t from = first[std::size_t{node} * kPlaces + place];
      if (from == kUnknown) continue;
      const std::uint32_t next = follower.next_router(node, place);
      const std::uint32_t from_slots = place < kEjectionBit ? 1 : slots;
      for (std::uint64_t wanted = follower.successors(node, place); wanted != 0; wanted &= wanted - 1) {
        const auto to_place = static_cast<unsigned>(std::countr_zero(wanted));
        const std::uint32_t to = first[std::size_t{next} * kPlaces + to_place];
        const std::uint32_t to_slots = to_place < kEjectionBit ? 1 : slots;
        for (std::uint32_t c = 0; c < classes; ++c) {
          for (std::uint32_t f = 0; f < from_slots; ++f) {
            for (std::uint32_t t = 0; t < to_slots; ++t) add(from + c * from_slots + f, to + c * to_slots + t);
          }
        }
      }
    }
    if (classes == 2 && node < topology.hosts()) {
      const std::uint32_t requests = first[std::size_t{node} * kPlaces + kEjectionBit];
      const std::uint32_t replies = first[std::size_t{node} * kPlaces + kInjectionBit] + slots;
      for (std::uint32_t slot = 0; slot < slots; ++slot) add(requests + slot, replies + slot);
    }
  }
  // A slot's requests come first among the channels of its place.
  const auto index_of = [&](const Channel& channel) {
    return first[place_of(channel)] + (channel.kind == Channel::Kind::kLink ? 0U : channel.port);
  };
  for (const Wait& wait : waits) {
    const bool injected = wait.from.kind == Channel::Kind::kInjection;
    for (std::uint32_t slot = 0; slot < (injected ? slots : 1U); ++slot)
      add(index_of(wait.from) + slot, index_of(wait.to));
  }
  std::sort(graph.dependencies.begin(), graph.dependencies.end());
  const auto twice = std::unique(graph.dependencies.begin(), graph.dependencies.end());
  graph.dependencies.erase(twice, graph.dependencies.end());
  return graph;
}

std::vector<std::uint32_t> numbering(const ChannelGraph& graph) {
  std::vector<std::uint32_t> number(graph.channels.size());
  const auto order = peel(graph, Adjacency(graph), [&](std::uint32_t from, std::uint32_t to) {
    number[to] = std::max(number[to], number[from] + 1);
  });
  if (order.size() != graph.channels.size()) return {};
  return number;
}

std::vector<std::uint32_t> shortest_cycle(const ChannelGraph& graph) {
  const Adjacency adjacency(graph);
  std::vector<bool> left(graph.channels.size(), true);
  for (const std::uint32_t channel : peel(graph, adjacency, [](std::uint32_t, std::uint32_t) {})) left[channel] = false;
  std::vector<std::uint32_t> best;
  std::vector<std::uint32_t> came_from(graph.channels.size());
  std::vector<std::uint32_t> seen(graph.channels.size(), kUnknown);
  for (std::uint32_t start = 0; start < graph.channels.size(); ++start) {
    if (!left[start]) continue;
    // Breadth first from here back to here, no farther than a cycle shorter than the best one can reach.
    std::vector<std::uint32_t> front{start}, next;
    bool closed = false;
    for (std::size_t length = 1; !front.empty() && !closed && (best.empty() || length < best.size()); ++length) {
      next.clear();
      for (const std::uint32_t from : front) {
        adjacency.for_each(from, [&](std::uint32_t to) {
          if (!left[to] || seen[to] == start) return;
          seen[to] = start;
          came_from[to] = from;
          next.push_back(to);
          closed = closed || to == start;
        });
      }
      front.swap(next);
    }
    if (!closed) continue;
    std::vector<std::uint32_t> cycle{start};
    for (std::uint32_t at = came_from[start]; at != start; at = came_from[at]) cycle.push_back(at);
    std::reverse(cycle.begin() + 1, cycle.end());
    best = cycle;
  }
  return best;
}

}  // namespace tidings
