// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file channel_graph.h
/// The channel dependency graph of a machine: which buffers of the network can wait for which.
///
/// W. J. Dally and C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection networks",
/// IEEE Transactions on Computers C-36(5), 1987: a network whose graph has no cycle cannot deadlock.
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/machine/topology.h"
#include "sim/machine/types.h"

namespace tidings {

/// A buffer that packets wait in, named by who fills it.
struct Channel {
  enum class Kind : std::uint8_t {
    kInjection,  ///< from a slot into its router
    kLink,       ///< over a link into the neighbour's router
    kEjection    ///< from a router into a slot
  };
  NodeIndex node;  ///< the router that fills it or that the slot hangs on
  Kind kind = Kind::kLink;
  std::uint8_t port = 0;     ///< network port of a link; else the slot
  std::uint8_t channel = 0;  ///< virtual channel: dateline * classes + class
  auto operator<=>(const Channel&) const = default;
};

/// A packet that holds `from` can wait for room in `to`. Indices into ChannelGraph::channels.
struct Dependency {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  auto operator<=>(const Dependency&) const = default;
};

/// A static route at one router.
struct StaticEntry {
  NodeIndex node;
  std::uint32_t route = 0;
  std::uint32_t ports = 0;  ///< one bit each, slots above the network's
  bool switched = false;    ///< any turn is allowed, and packets of any length
};

/// A rule of rtl/network/router.sv that keeps static packets from waiting in a circle.
enum class StaticRule : std::uint8_t {
  kTurns,  ///< branches turn as dimension order does
  kOrder,  ///< channels are taken in the order of the ports
  kRoom    ///< those of links only with room for a whole packet
};

/// Static packets of a machine whose routers have static routes.
struct StaticPackets {
  std::optional<std::vector<StaticEntry>> routes;  ///< all there are; nothing: any trees, all of them at once
  std::optional<StaticRule> without;               ///< a rule to leave out, to see what it is good for
};

/// Channels that some packet uses, and their dependencies, each once and in rising order.
struct ChannelGraph {
  std::vector<Channel> channels;
  std::vector<Dependency> dependencies;
  std::uint64_t routes = 0;         ///< pairs of routers with slots, a router with itself included
  std::uint64_t longest_route = 0;  ///< hops
};

/// Follow every packet of every slot through the routers' own routing (sim/cycle/route_compute.h, equal to the RTL).
///
/// Beside what packets in the network wait for, a slot that is asked something may have to answer before it takes the
/// next request: every request channel into a slot depends on the reply channel out of it.
/// Packets on static routes, requests, hold and want several channels at once (sim/analysis/static_trees.h).
/// @param classes message classes, 1 to 2.
/// @param dateline false puts packets that have crossed a wrap-around link into the same buffers as those that have
/// not,
///        to see what the dateline channels are good for.
/// @throws std::logic_error where a route does not end at its destination, or in a grid is not a shortest way.
[[nodiscard]] ChannelGraph channel_graph(const Topology& topology, const NodeParameters& parameters,
                                         std::uint32_t classes, bool dateline = true,
                                         const StaticPackets& packets = {});

/// A number for each channel such that every dependency leads from a lower to a higher one: the length of the longest
/// chain of dependencies that ends in it. Empty where there is a cycle (or no channel).
[[nodiscard]] std::vector<std::uint32_t> numbering(const ChannelGraph& graph);

/// The channels of a shortest cycle, each waiting for the next and the last for the first; empty if there is none.
[[nodiscard]] std::vector<std::uint32_t> shortest_cycle(const ChannelGraph& graph);

}  // namespace tidings
