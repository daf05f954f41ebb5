// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file topology.h
/// Which router is where and which port leads to which neighbour.
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/machine/machine_config.h"
#include "sim/machine/node.h"
#include "sim/machine/types.h"

namespace tidings {

/// A grid of routers, in each dimension open or closed to a ring. A crossbar has no dimension.
class Topology {
 public:
  /// The other end of a port.
  struct Link {
    NodeIndex node;
    PortId port;
    bool operator==(const Link&) const = default;
  };

  /// The smallest box of the machine's routers that holds `ranks`: fewest routers, then most cubic
  /// (smallest sum of squares), then lowest dimensions largest. A dimension that was cut has no wrap links.
  /// @throws std::invalid_argument where the machine has fewer slots, or `ranks` is 0.
  Topology(const TopologyConfig& config, std::uint32_t ranks);
  /// The whole machine.
  explicit Topology(const TopologyConfig& config);

  [[nodiscard]] std::uint32_t nodes() const { return nodes_; }
  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  [[nodiscard]] std::uint32_t dims() const { return static_cast<std::uint32_t>(radix_.size()); }
  /// Network ports of a router.
  [[nodiscard]] std::uint32_t ports() const { return 2 * dims(); }
  [[nodiscard]] const std::vector<std::uint16_t>& radix() const { return radix_; }
  [[nodiscard]] const std::vector<bool>& wrap() const { return wrap_; }

  [[nodiscard]] std::vector<std::uint16_t> coordinates(NodeIndex node) const;
  [[nodiscard]] NodeId id(NodeIndex node) const;
  /// @throws std::out_of_range where there is no such router.
  [[nodiscard]] NodeIndex index(NodeId id) const;
  /// Nothing where the port is at an edge of a mesh.
  [[nodiscard]] std::optional<Link> neighbour(NodeIndex node, PortId port) const;
  /// Rank r sits in slot r mod slots of router r div slots.
  [[nodiscard]] Endpoint endpoint(std::uint32_t rank) const;
  /// What a node is told at reset.
  [[nodiscard]] NodePlace place(NodeIndex node) const;

 private:
  std::vector<std::uint16_t> radix_;
  std::vector<bool> wrap_;
  std::uint32_t nodes_ = 1;
  std::uint32_t slots_ = 1;
};

}  // namespace tidings
