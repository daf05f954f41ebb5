// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file grid.h
/// Which router is next to which, from what the platform tells of the machine.
#include <cstdint>
#include <optional>

#include "platform.h"

namespace tidings {

class Grid {
 public:
  explicit Grid(const tidings_grid& grid);

  [[nodiscard]] std::uint32_t dimensions() const { return grid_.dimensions; }
  [[nodiscard]] std::uint32_t radix(std::uint32_t dimension) const { return grid_.radix[dimension]; }
  [[nodiscard]] bool wraps(std::uint32_t dimension) const { return grid_.wraps[dimension]; }
  /// Network ports of a router.
  [[nodiscard]] std::uint32_t ports() const { return 2 * grid_.dimensions; }
  /// Address of a slot's router; 0 for a single router, which may have several in packets.
  [[nodiscard]] std::uint16_t router(const tidings_endpoint& endpoint) const {
    return grid_.single ? 0 : endpoint.node;
  }
  /// Number of a slot at its router.
  [[nodiscard]] std::uint32_t slot(const tidings_endpoint& endpoint) const;
  [[nodiscard]] std::uint32_t coordinate(std::uint16_t node, std::uint32_t dimension) const;
  /// Address of the router behind a port; nothing if the port is at an edge.
  [[nodiscard]] std::optional<std::uint16_t> neighbour(std::uint16_t node, std::uint32_t port) const;
  /// Links on the shortest way between two routers.
  [[nodiscard]] std::uint32_t hops(std::uint16_t from, std::uint16_t to) const;
  /// The neighbour's port at the other end of a port's link.
  [[nodiscard]] static std::uint32_t opposite(std::uint32_t port) { return port ^ 1U; }

 private:
  tidings_grid grid_;
  std::uint32_t field_bits_;  ///< of a coordinate in an address
};

}  // namespace tidings
