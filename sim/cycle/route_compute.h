// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file route_compute.h
/// Twin of rtl/network/route_compute.sv: the next output of a packet.
#include <array>
#include <bit>
#include <cstdint>
#include <memory>

#include "generated/node_parameters.h"
#include "sim/machine/machine_config.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// What the ways of all routers of a machine have in common.
class RouteShape {
 public:
  RouteShape(const NodeParameters& parameters, const NodePlace& place);

 private:
  friend class RouteCompute;

  /// Where a dimension's coordinate stands in a node id.
  struct Dimension {
    std::uint16_t radix = 0;
    std::uint8_t shift = 0;
    bool wrap = false;
  };

  std::uint8_t network_ports_;
  std::uint8_t slots_;
  bool dateline_;
  std::uint16_t field_mask_ = 0;  ///< of a coordinate
  std::uint16_t id_mask_ = 0;     ///< of all coordinates
  std::uint32_t rows_;            ///< of a table; 0 without a graph
  std::array<Dimension, kMaxDims> dimensions_{};
  std::array<std::uint8_t, kNodeIdWidth> dimension_of_{};  ///< a bit of a node id
};

/// Dimension order, lowest dimension first, then the slot. On a dimension with wrap-around links the shorter way
/// is taken, and + if both are equal. A router of a graph looks the destination up in its table instead.
class RouteCompute {
 public:
  struct Way {
    std::uint8_t port;
    bool dateline;
  };

  /// @param shape of all routers of the machine.
  RouteCompute(std::shared_ptr<const RouteShape> shape, const NodePlace& place);
  RouteCompute(const NodeParameters& parameters, const NodePlace& place)
      : RouteCompute(std::make_shared<const RouteShape>(parameters, place), place) {}

  /// @param header the first word of a packet.
  /// @param dimension that the packet came through; kMaxDims when it came from a slot.
  /// @param dateline channel that the packet came on.
  [[nodiscard]] Way operator()(std::uint32_t header, unsigned dimension, bool dateline) const {
    const RouteShape& shape = *shape_;
    const std::uint32_t node = header >> kNodeShift & kNodeMask;
    const std::uint32_t differs = (node ^ here_) & shape.id_mask_;
    if (differs != 0) {
      return towards(shape, shape.dimension_of_[static_cast<unsigned>(std::countr_zero(differs))], node, dimension,
                     dateline);
    }
    if (node != here_ && node < shape.rows_)
      return {.port = table_[node].port, .dateline = shape.dateline_ && table_[node].layer != 0};
    const std::uint32_t slot = header >> kSlotShift & kSlotMask;
    return {.port = static_cast<std::uint8_t>(shape.network_ports_ + (slot < shape.slots_ ? slot : 0)),
            .dateline = false};
  }

 private:
  static constexpr unsigned kNodeShift = 12, kSlotShift = 24;
  static constexpr std::uint32_t kNodeMask = (1U << kNodeIdWidth) - 1, kSlotMask = kMaxSlots - 1;

  /// The way to a node whose coordinate in dimension `d` is another one.
  [[nodiscard]] Way towards(const RouteShape& shape, unsigned d, std::uint32_t node, unsigned dimension,
                            bool dateline) const {
    const RouteShape::Dimension& along = shape.dimensions_[d];
    const std::uint32_t here = here_ >> along.shift & shape.field_mask_;
    const std::uint32_t there = node >> along.shift & shape.field_mask_;
    bool plus = there > here;
    if (along.wrap) {
      const std::uint32_t forward = there - here + (plus ? 0 : along.radix);
      plus = 2 * forward <= along.radix;
    }
    const bool over_wrap = plus ? here + 1U == along.radix : here == 0;
    return {.port = static_cast<std::uint8_t>(2 * d + (plus ? 0 : 1)),
            .dateline = shape.dateline_ && ((dateline && dimension == d) || over_wrap)};
  }

  std::shared_ptr<const RouteShape> shape_;
  std::unique_ptr<const RouteRow[]> table_;  ///< null without a graph
  std::uint16_t here_;                       ///< this router's address
};

}  // namespace tidings::cycle
