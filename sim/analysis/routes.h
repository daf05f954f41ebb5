// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file routes.h
/// The routes of a machine's packets, router by router.
#include <cstdint>
#include <vector>

#include "sim/cycle/route_compute.h"
#include "sim/machine/topology.h"

namespace tidings {

/// Each router's next port and neighbour towards every other router.
class Routes {
 public:
  Routes(const NodeParameters& parameters, std::uint32_t latency, const Topology& topology)
      : ports_(topology.ports()), links_(std::size_t{topology.nodes()} * topology.ports()) {
    for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
      computes_.emplace_back(parameters, topology.place(NodeIndex{node}));
      for (std::uint8_t port = 0; port < ports_; ++port) {
        if (const auto link = topology.neighbour(NodeIndex{node}, PortId{port})) {
          links_[std::size_t{node} * ports_ + port] = {
              .neighbour = link->node.value,
              .latency = topology.latency(NodeIndex{node}, PortId{port}).value_or(latency)};
        }
      }
    }
  }

  /// The port of a router towards another one.
  [[nodiscard]] std::uint8_t port(std::uint32_t node, NodeId destination) const {
    constexpr unsigned kNodeShift = 12;  // of the destination in a packet's first word
    return computes_[node](std::uint32_t{destination.value} << kNodeShift, kMaxDims, false).port;
  }
  [[nodiscard]] std::uint32_t neighbour(std::uint32_t node, std::uint8_t port) const {
    return links_[std::size_t{node} * ports_ + port].neighbour;
  }
  [[nodiscard]] std::uint32_t latency(std::uint32_t node, std::uint8_t port) const {
    return links_[std::size_t{node} * ports_ + port].latency;
  }

 private:
  struct Link {
    std::uint32_t neighbour = 0;
    std::uint32_t latency = 0;
  };

  std::uint32_t ports_;
  std::vector<cycle::RouteCompute> computes_;
  std::vector<Link> links_;  ///< node * ports + port
};

}  // namespace tidings
