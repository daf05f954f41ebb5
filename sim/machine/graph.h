// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file graph.h
/// Routers that are joined in any way, with a routing table each.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/machine/machine_config.h"
#include "sim/machine/node.h"
#include "sim/machine/types.h"

namespace tidings {

/// The links of a graph and the routes over them. Ports of a router are numbered in the order of its links.
class Graph {
 public:
  /// A network port of a router.
  struct NetworkPort {
    NodeIndex node;
    PortId port;
    bool operator==(const NetworkPort&) const = default;
  };

  /// @throws std::invalid_argument naming the key of the machine file and what is wrong: an unknown router, a doubled
  /// link, too many ports, a router that cannot be reached, a table that does not lead to its destination.
  explicit Graph(const TopologyConfig& config);

  [[nodiscard]] std::uint32_t routers() const { return routers_; }
  [[nodiscard]] std::uint32_t hosts() const { return hosts_; }
  /// Network ports of the router that has most of them.
  [[nodiscard]] std::uint32_t ports() const { return ports_; }
  /// Nothing if the router has no such port.
  [[nodiscard]] std::optional<NetworkPort> neighbour(NodeIndex node, PortId port) const;
  /// Cycles of the link behind a port; nothing if it has no latency of its own.
  [[nodiscard]] std::optional<std::uint32_t> latency(NodeIndex node, PortId port) const;
  /// The routing table of a router: a row for each router with slots.
  [[nodiscard]] std::span<const RouteRow> table(NodeIndex node) const {
    return std::span(table_).subspan(std::size_t{node.value} * hosts_, hosts_);
  }

 private:
  struct End {
    std::uint32_t router;
    std::uint8_t port;      ///< of that router
    std::uint32_t latency;  ///< 0: none of its own
  };

  void join(const TopologyConfig& config);
  void check_connected() const;
  void route_up_down(const GraphConfig& config);
  void read_table(const GraphConfig& config);
  /// Follow the routes to every host.
  void check_routes() const;
  [[nodiscard]] RouteRow& row(std::uint32_t router, std::uint32_t host) {
    return table_[std::size_t{router} * hosts_ + host];
  }

  std::uint32_t routers_;
  std::uint32_t hosts_;
  std::uint32_t ports_ = 0;
  std::vector<std::vector<End>> ends_;  ///< by router and port
  std::vector<RouteRow> table_;         ///< router * hosts + destination
};

}  // namespace tidings
