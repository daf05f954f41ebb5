// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/grid.h"

#include <algorithm>

#include "barrier.h"

namespace tidings {
namespace {

constexpr std::uint32_t kAddressBits = 12;

}  // namespace

Grid::Grid(const tidings_grid& grid)
    : grid_(grid), field_bits_(grid.dimensions == 0 ? kAddressBits : kAddressBits / grid.dimensions) {}

std::uint32_t Grid::slot(const tidings_endpoint& endpoint) const {
  return grid_.single ? tidings_slot_number(endpoint) : endpoint.slot;
}

std::uint32_t Grid::coordinate(std::uint16_t node, std::uint32_t dimension) const {
  return node >> dimension * field_bits_ & ((1U << field_bits_) - 1);
}

std::optional<std::uint16_t> Grid::neighbour(std::uint16_t node, std::uint32_t port) const {
  const std::uint32_t dimension = port / 2;
  const bool up = port % 2 == 0;
  const std::uint32_t here = coordinate(node, dimension);
  const std::uint32_t last = radix(dimension) - 1;
  const bool edge = here == (up ? last : 0);
  if (last == 0 || (edge && !wraps(dimension))) return std::nullopt;
  const std::uint32_t there = edge ? last - here : (up ? here + 1 : here - 1);
  const std::uint32_t shift = dimension * field_bits_;
  return static_cast<std::uint16_t>((node & ~(((1U << field_bits_) - 1) << shift)) | there << shift);
}

std::uint32_t Grid::hops(std::uint16_t from, std::uint16_t to) const {
  std::uint32_t sum = 0;
  for (std::uint32_t d = 0; d < grid_.dimensions; ++d) {
    const std::uint32_t a = coordinate(from, d);
    const std::uint32_t b = coordinate(to, d);
    const std::uint32_t straight = std::max(a, b) - std::min(a, b);
    sum += wraps(d) ? std::min(straight, radix(d) - straight) : straight;
  }
  return sum;
}

}  // namespace tidings
