// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file route_compute.h
/// Twin of rtl/network/route_compute.sv: the next output of a packet.
#include <array>
#include <cstdint>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/machine/machine_config.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// Dimension order, lowest dimension first, then the slot. On a dimension with wrap-around links the shorter way
/// is taken, and + if both are equal. A router of a graph looks the destination up in its table instead.
class RouteCompute {
 public:
  struct Way {
    std::uint8_t port;
    bool dateline;
  };

  RouteCompute(const NodeParameters& parameters, const NodePlace& place);

  /// @param header the first word of a packet.
  /// @param dimension that the packet came through; kMaxDims when it came from a slot.
  /// @param dateline channel that the packet came on.
  [[nodiscard]] Way operator()(std::uint32_t header, unsigned dimension, bool dateline) const {
    const std::uint32_t node = header >> kNodeShift & kNodeMask;
    for (unsigned d = 0; d < dims_; ++d) {
      const Dimension& here = dimensions_[d];
      const std::uint32_t there = node >> here.shift & field_mask_;
      if (there != here.coordinate) return towards(d, there, dimension, dateline);
    }
    if (node != here_ && node < table_.size())
      return {.port = table_[node].port, .dateline = dateline_ && table_[node].layer != 0};
    const std::uint32_t slot = header >> kSlotShift & kSlotMask;
    return {.port = static_cast<std::uint8_t>(network_ports_ + (slot < slots_ ? slot : 0)), .dateline = false};
  }

 private:
  static constexpr unsigned kNodeShift = 12, kSlotShift = 24;
  static constexpr std::uint32_t kNodeMask = (1U << kNodeIdWidth) - 1, kSlotMask = kMaxSlots - 1;

  /// Where this router is.
  struct Dimension {
    std::uint16_t coordinate = 0;
    std::uint16_t radix = 0;
    std::uint8_t shift = 0;  ///< of the coordinate in a node id
    bool wrap = false;
  };

  [[nodiscard]] Way towards(unsigned d, std::uint32_t there, unsigned dimension, bool dateline) const;

  std::uint8_t dims_;
  std::uint8_t network_ports_;
  std::uint8_t slots_;
  bool dateline_;
  std::uint16_t here_;           ///< this router's address
  std::vector<RouteRow> table_;  ///< empty without a graph
  std::uint16_t field_mask_ = 0;
  std::array<Dimension, kMaxDims> dimensions_{};
};

}  // namespace tidings::cycle
