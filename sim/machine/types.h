// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file types.h
/// Quantities of the machine as types, so that a cycle is never taken for a picosecond.
#include <compare>
#include <cstdint>
#include <limits>

namespace tidings {

/// An unsigned count of something; `Tag` keeps counts of different things apart.
template <typename Tag>
struct Count {
  std::uint64_t value = 0;

  [[nodiscard]] static constexpr Count max() { return Count{std::numeric_limits<std::uint64_t>::max()}; }
  constexpr auto operator<=>(const Count&) const = default;
  constexpr Count& operator+=(std::uint64_t n) {
    value += n;
    return *this;
  }
  constexpr Count& operator++() { return *this += 1; }
  friend constexpr Count operator+(Count a, std::uint64_t n) { return Count{a.value + n}; }
  /// Distance between two points.
  friend constexpr std::uint64_t operator-(Count a, Count b) { return a.value - b.value; }
};

/// A clock cycle of the fabric since reset.
using Cycle = Count<struct CycleTag>;
/// A point in time since reset.
using Picoseconds = Count<struct PicosecondsTag>;

/// A router's address as in packet headers: packed coordinates, dimension 0 lowest.
struct NodeId {
  std::uint16_t value = 0;
  constexpr auto operator<=>(const NodeId&) const = default;
};

/// A router's place in the machine's list: dimension 0 fastest, no gaps.
struct NodeIndex {
  std::uint32_t value = 0;
  constexpr auto operator<=>(const NodeIndex&) const = default;
};

/// A slot's number within its router.
struct SlotId {
  std::uint8_t value = 0;
  constexpr auto operator<=>(const SlotId&) const = default;
};

/// A network port of a router: 2d leads to coordinate + 1 in dimension d, 2d + 1 to coordinate - 1.
struct PortId {
  std::uint8_t value = 0;
  constexpr auto operator<=>(const PortId&) const = default;
};

/// Where a rank sits: the address that packets carry.
struct Endpoint {
  NodeId node;
  SlotId slot;
  constexpr auto operator<=>(const Endpoint&) const = default;
};

}  // namespace tidings
