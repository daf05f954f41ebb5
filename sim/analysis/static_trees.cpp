// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/analysis/static_trees.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sim/cycle/router_static.h"
#include "sim/machine/machine_config.h"

namespace tidings {
namespace {

using cycle::RouteEntry;
using cycle::RouterStatic;

/// Where a packet of a route waits. Trees of all kinds at once are one route.
struct Stop {
  Channel channel;
  std::uint32_t route = 0;
  auto operator<=>(const Stop&) const = default;
};

/// The slots of a single router are all alike: of more than slot numbers, the first stand for the others.
NodeParameters with_few_slots(NodeParameters parameters) {
  parameters.num_slots = std::min(parameters.num_slots, kMaxSlots);
  return parameters;
}

class Trees {
 public:
  Trees(const Topology& topology, const NodeParameters& parameters, const StaticPackets& packets)
      : topology_(topology), packets_(packets), numbers_(with_few_slots(parameters)) {
    NodeParameters small = with_few_slots(parameters);
    small.buffer_flits = small.slot_buffer_flits = 2;
    for (std::uint32_t i = 0; i < topology.nodes(); ++i) {
      routers_.emplace_back(small, topology.place(NodeIndex{i}), numbers_);
    }
    if (!packets.routes) return;
    for (const StaticEntry& one : *packets.routes) {
      entries_[{one.node.value, one.route}] = {.switched = one.switched, .ports = one.ports};
    }
  }

  std::vector<Wait> follow() {
    for (std::uint32_t i = 0; i < topology_.nodes(); ++i) {
      const Channel injection{.node = NodeIndex{i}, .kind = Channel::Kind::kInjection};
      if (!packets_.routes) visit({.channel = injection});
      for (const auto& [place, entry] : entries_) {
        if (place.first == i) visit({.channel = injection, .route = place.second});
      }
    }
    while (!open_.empty()) {
      const Stop stop = open_.back();
      open_.pop_back();
      step(stop);
    }
    for (const auto& [stop, loose] : loose_) {
      if (loose) wait_for_credits(next_.at(stop));
    }
    return std::move(waits_);
  }

 private:
  void visit(const Stop& stop) {
    if (next_.try_emplace(stop).second) open_.push_back(stop);
  }

  /// The packet at a stop takes the channels of its branches.
  void step(const Stop& stop) {
    const Channel& at = stop.channel;
    if (at.kind == Channel::Kind::kEjection) return;
    std::uint32_t node = at.node.value;
    unsigned port = topology_.ports() + at.port;
    if (at.kind == Channel::Kind::kLink) {
      node = topology_.neighbour(at.node, PortId{at.port})->node.value;
      port = at.port ^ 1U;
    }
    const RouteEntry entry = entry_of(node, stop.route);
    std::vector<Stop> branches;
    for (const RouterStatic::Branch& branch : routers_[node].branches(numbers_.channel(port, at.channel), entry)) {
      const bool link = branch.port < topology_.ports();
      branches.push_back(
          {.channel = {.node = NodeIndex{node},
                       .kind = link ? Channel::Kind::kLink : Channel::Kind::kEjection,
                       .port = static_cast<std::uint8_t>(link ? branch.port : branch.port - topology_.ports()),
                       .channel = branch.channel},
           .route = stop.route});
    }
    for (std::size_t i = 0; i < branches.size(); ++i) {
      add(at, branches[i].channel);
      for (std::size_t j = i + 1; j < branches.size(); ++j) {
        add(branches[i].channel, branches[j].channel);
        if (packets_.without == StaticRule::kOrder) add(branches[j].channel, branches[i].channel);
      }
      visit(branches[i]);
    }
    loose_[stop] = entry.switched || packets_.without == StaticRule::kRoom;
    next_[stop] = std::move(branches);
  }

  [[nodiscard]] RouteEntry entry_of(std::uint32_t node, std::uint32_t route) const {
    const bool any_turn = packets_.without == StaticRule::kTurns;
    if (!packets_.routes) return {.switched = any_turn, .ports = ~0U};
    const auto found = entries_.find({node, route});
    if (found == entries_.end()) return {};
    return {.switched = found->second.switched || any_turn, .ports = found->second.ports};
  }

  /// What has left through a branch is held until words leave through the others.
  void wait_for_credits(const std::vector<Stop>& branches) {
    for (const Stop& held : branches) {
      if (branches.size() < 2) return;
      std::set<Stop> behind;
      std::vector<Stop> open = next_.at(held);
      while (!open.empty()) {
        const Stop stop = open.back();
        open.pop_back();
        if (stop.channel.kind != Channel::Kind::kLink || !behind.insert(stop).second) continue;
        open.insert(open.end(), next_.at(stop).begin(), next_.at(stop).end());
      }
      for (const Stop& other : branches) {
        if (other == held || other.channel.kind != Channel::Kind::kLink) continue;
        for (const Stop& stop : behind) add(stop.channel, other.channel);
      }
    }
  }

  void add(const Channel& from, const Channel& to) {
    if (from != to) waits_.push_back({.from = from, .to = to});
  }

  const Topology& topology_;
  const StaticPackets& packets_;
  cycle::RouterNumbers numbers_;
  std::vector<RouterStatic> routers_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, RouteEntry> entries_;  ///< by router and route
  std::map<Stop, std::vector<Stop>> next_;                                 ///< branches of the packet there
  std::map<Stop, bool> loose_;                                             ///< its words may have to wait for credits
  std::vector<Stop> open_;
  std::vector<Wait> waits_;
};

}  // namespace

std::vector<Wait> tree_waits(const Topology& topology, const NodeParameters& parameters, const StaticPackets& packets) {
  return Trees(topology, parameters, packets).follow();
}

}  // namespace tidings
