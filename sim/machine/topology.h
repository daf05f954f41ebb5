// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file topology.h
/// Which router is where and which port leads to which neighbour.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/graph.h"
#include "sim/machine/machine_config.h"
#include "sim/machine/node.h"
#include "sim/machine/types.h"

namespace tidings {

/// The address of a slot of a router. That of the router is `router`, but for a single one with more than kMaxSlots
/// slots, which has `router` = 0 and an address for each kMaxSlots of them.
[[nodiscard]] constexpr Endpoint slot_address(NodeId router, unsigned slot) {
  return {.node = NodeId{static_cast<std::uint16_t>(router.value | slot / kMaxSlots)},
          .slot = SlotId{static_cast<std::uint8_t>(slot % kMaxSlots)}};
}

/// A grid of routers, in each dimension open or closed to a ring, or any graph. A crossbar is a grid without
/// dimensions.
class Topology {
 public:
  using NetworkPort = Graph::NetworkPort;

  /// A single router with one slot.
  Topology() = default;
  /// The smallest box of the machine's routers that holds `ranks`: fewest routers, then most cubic
  /// (smallest sum of squares), then lowest dimensions largest. A dimension that was cut has no wrap links.
  /// A graph is never cut: ranks begin at router 0.
  /// @throws std::invalid_argument where the machine has fewer slots, or `ranks` is 0.
  Topology(const TopologyConfig& config, std::uint32_t ranks);
  /// The whole machine.
  explicit Topology(const TopologyConfig& config);

  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  /// Routers with slots: the first ones. All of a grid.
  [[nodiscard]] std::uint32_t hosts() const { return graph_ ? graph_->hosts() : nodes_; }
  /// Slots of one router that has slots.
  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  /// Slots of all routers, which is the most ranks of a run.
  [[nodiscard]] std::uint32_t endpoints() const { return hosts() * slots_; }
  /// Routers are joined in any way and have routing tables.
  [[nodiscard]] bool is_graph() const { return graph_ != nullptr; }
  [[nodiscard]] std::uint32_t dims() const { return static_cast<std::uint32_t>(radix_.size()); }
  /// Network ports of a router; in a graph, of the one that has most.
  [[nodiscard]] std::uint32_t ports() const { return graph_ ? graph_->ports() : 2 * dims(); }
  /// Layers of virtual channels that routes use: 2 where links wrap around, or a routing table says so.
  [[nodiscard]] std::uint32_t layers() const;
  [[nodiscard]] const std::vector<std::uint16_t>& radix() const { return radix_; }
  [[nodiscard]] const std::vector<bool>& wrap() const { return wrap_; }

  /// One a dimension; in a graph the router's number.
  [[nodiscard]] std::vector<std::uint16_t> coordinates(NodeIndex node) const;
  [[nodiscard]] NodeId id(NodeIndex node) const;
  /// @throws std::out_of_range where there is no such router.
  [[nodiscard]] NodeIndex index(NodeId id) const;
  /// The router at coordinates; a graph has one, the router's number.
  /// @throws std::out_of_range where there is no such router.
  [[nodiscard]] NodeIndex at(const std::vector<std::uint32_t>& coordinates) const;
  /// A link carries tokens of barriers: all but those that close a dimension to a ring do.
  [[nodiscard]] static constexpr bool carries_tokens(NodeIndex from, PortId port, NodeIndex to) {
    return port.value % 2 == 0 ? to.value > from.value : to.value < from.value;
  }
  /// Nothing where the port is at an edge of a mesh, or a router of a graph does not have it.
  [[nodiscard]] std::optional<NetworkPort> neighbour(NodeIndex node, PortId port) const;
  /// Cycles of the link behind a port; nothing if that is LinkConfig::latency_cycles.
  [[nodiscard]] std::optional<std::uint32_t> latency(NodeIndex node, PortId port) const;
  /// The address of slot `number` mod slots of router `number` div slots, where rank `number` sits if nobody says
  /// something else.
  [[nodiscard]] Endpoint endpoint(std::uint32_t number) const;
  /// The number of the slot with an address.
  /// @throws std::out_of_range if there is no such slot.
  [[nodiscard]] std::uint32_t number(Endpoint endpoint) const;
  /// What a node is told at reset.
  [[nodiscard]] NodePlace place(NodeIndex node) const;

  /// Hops of packets between two routers with slots.
  struct Hops {
    std::uint32_t most = 0;
    double mean = 0;  ///< of all pairs of different routers
  };
  [[nodiscard]] Hops hops() const;
  /// Links, counted once in each direction, that separate two halves of the machine. In a grid they are those across
  /// the middle of the longest dimension. In a graph they are the fewest that keep the lower half of the routers with
  /// slots from the upper half.
  [[nodiscard]] std::uint32_t bisection_links() const;

  /// A router as messages name it: `(1,2)`, `5` in a graph, nothing for a crossbar's only one.
  [[nodiscard]] std::string name(NodeIndex node) const;
  /// A network port as messages name it: `+x`; `to 5` in a graph.
  [[nodiscard]] std::string name(NodeIndex node, PortId port) const;

 private:
  [[nodiscard]] std::uint32_t cut_of_halves() const;

  std::vector<std::uint16_t> radix_;
  std::vector<bool> wrap_;
  std::uint32_t nodes_ = 1;
  std::uint32_t slots_ = 1;
  std::shared_ptr<const Graph> graph_;  ///< null for a grid
};

}  // namespace tidings
