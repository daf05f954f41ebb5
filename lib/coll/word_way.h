// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file word_way.h
/// The routers of static switches, and the way that a word takes between two of them.
#include <algorithm>
#include <array>
#include <cstdint>

namespace tidings {

/// Routers of a box in each dimension.
using SwitchSize = std::array<std::uint32_t, 3>;

/// Routers that fill a box of up to three dimensions. Each dimension is a line, or is closed to a ring.
struct SwitchGrid {
  static constexpr std::uint32_t kDimensions = std::tuple_size_v<SwitchSize>;

  SwitchSize size{1, 1, 1};
  std::uint32_t rings = 0;  ///< dimensions that are closed, a bit each
  std::uint32_t hop = 1;    ///< cycles of a link

  [[nodiscard]] std::uint32_t nodes() const { return size[0] * size[1] * size[2]; }
  /// The dimension is a ring. Its second link makes two routers no faster, so these are a line.
  [[nodiscard]] bool ring(std::uint32_t dimension) const {
    return (rings >> dimension & 1U) != 0 && size[dimension] > 2;
  }
  /// Words that can go either way along a ring alternate with where they begin, not with how far they go in other
  /// dimensions: these give as many words to both ways only if their number of routers is even.
  [[nodiscard]] bool alternates(std::uint32_t dimension) const {
    return ring(dimension) && size[dimension] % 2 == 0 && nodes() / size[dimension] % 2 != 0;
  }
  /// Nodes from one coordinate to the next.
  [[nodiscard]] std::uint32_t stride(std::uint32_t dimension) const {
    return dimension == 0 ? 1 : size[dimension - 1] * stride(dimension - 1);
  }
  [[nodiscard]] std::uint32_t coordinate(std::uint32_t node, std::uint32_t dimension) const {
    return node / stride(dimension) % size[dimension];
  }
  /// Links upwards from one node to another along a ring, and in any direction along a line.
  [[nodiscard]] std::uint32_t ahead(std::uint32_t from, std::uint32_t to, std::uint32_t dimension) const {
    const std::uint32_t a = coordinate(from, dimension);
    const std::uint32_t b = coordinate(to, dimension);
    return b >= a ? b - a : ring(dimension) ? size[dimension] + b - a : a - b;
  }
  /// Links between two nodes.
  [[nodiscard]] std::uint32_t hops(std::uint32_t from, std::uint32_t to) const {
    std::uint32_t sum = 0;
    for (std::uint32_t d = 0; d < kDimensions; ++d) {
      const std::uint32_t up = ahead(from, to, d);
      sum += ring(d) ? std::min(up, size[d] - up) : up;
    }
    return sum;
  }
  /// Most links between two nodes.
  [[nodiscard]] std::uint32_t most_hops() const {
    std::uint32_t sum = 0;
    for (std::uint32_t d = 0; d < kDimensions; ++d) sum += ring(d) ? size[d] / 2 : size[d] - 1;
    return sum;
  }
  /// The node behind a port, which is there: +x, -x, +y, and so on.
  [[nodiscard]] std::uint32_t behind(std::uint32_t node, std::uint32_t port) const {
    const std::uint32_t length = size[port / 2];
    const std::uint32_t here = coordinate(node, port / 2);
    const std::uint32_t there = (here + (port % 2 == 0 ? 1 : length - 1)) % length;
    return node + there * stride(port / 2) - here * stride(port / 2);
  }
};

/// Where a word goes at its target.
inline constexpr std::uint32_t kNoPort = ~0U;

/// The port by which a word leaves a router on its way: along x, then y, then z, and the shorter way along a ring.
///
/// Two ways along a ring of even length can be equally short. Then a word goes upwards if it goes over an even number
/// of links in the other dimensions, upwards ones in those that are rings; and the other way around from every second
/// router if `alternates`. So both directions carry as many words.
[[nodiscard]] inline std::uint32_t word_port(const SwitchGrid& grid, std::uint32_t from, std::uint32_t to,
                                             std::uint32_t here) {
  for (std::uint32_t d = 0; d < SwitchGrid::kDimensions; ++d) {
    if (grid.coordinate(here, d) == grid.coordinate(to, d)) continue;
    const std::uint32_t length = grid.size[d];
    bool up = grid.coordinate(from, d) < grid.coordinate(to, d);
    if (grid.ring(d)) {
      const std::uint32_t ahead = grid.ahead(from, to, d);
      std::uint32_t parity = grid.alternates(d) ? grid.coordinate(from, d) : 0;
      for (std::uint32_t e = 0; e < SwitchGrid::kDimensions; ++e) parity += e == d ? 0 : grid.ahead(from, to, e);
      up = 2 * ahead < length || (2 * ahead == length && parity % 2 == 0);
    }
    return 2 * d + (up ? 0 : 1);
  }
  return kNoPort;
}

}  // namespace tidings
