// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/topology.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

namespace tidings {
namespace {

/// Bits of one coordinate in a router's address.
unsigned coordinate_bits(std::size_t dims) { return dims == 0 ? 0 : kNodeIdWidth / static_cast<unsigned>(dims); }

bool is_wrapped(TopologyKind kind) { return kind == TopologyKind::kTorus || kind == TopologyKind::kRing; }

using Box = std::vector<std::uint32_t>;

std::uint64_t routers(const Box& box) {
  std::uint64_t product = 1;
  for (const std::uint32_t length : box) product *= length;
  return product;
}

/// Orders boxes by preference: the lowest wins.
auto preference(const Box& box) {
  std::uint64_t squares = 0;
  for (const std::uint32_t length : box) squares += std::uint64_t{length} * length;
  Box negated = box;  // the largest low dimensions first
  for (std::uint32_t& length : negated) length = ~length;
  return std::tuple(routers(box), squares, negated);
}

/// Tries every box within `size` from dimension `dim` on.
void search(const Box& size, std::uint64_t needed, std::size_t dim, Box& box, Box& best) {
  if (dim == size.size()) {
    if (routers(box) >= needed && preference(box) < preference(best)) best = box;
    return;
  }
  for (box[dim] = 1; box[dim] <= size[dim]; ++box[dim]) search(size, needed, dim + 1, box, best);
  box[dim] = 1;
}

Box smallest_box(const TopologyConfig& config, std::uint32_t ranks) {
  const std::uint64_t available = routers(config.size) * config.slots;
  if (ranks == 0) throw std::invalid_argument("a machine needs at least 1 rank, not 0");
  if (ranks > available) {
    throw std::invalid_argument(std::to_string(ranks) + " ranks do not fit the machine's " + std::to_string(available) +
                                " slots");
  }
  Box box(config.size.size(), 1);
  Box best = config.size;
  search(config.size, (ranks + config.slots - 1) / config.slots, 0, box, best);
  return best;
}

}  // namespace

Topology::Topology(const TopologyConfig& config, std::uint32_t ranks) : slots_(config.slots) {
  const Box box = smallest_box(config, ranks);
  for (std::size_t dim = 0; dim < box.size(); ++dim) {
    radix_.push_back(static_cast<std::uint16_t>(box[dim]));
    wrap_.push_back(is_wrapped(config.kind) && box[dim] == config.size[dim] && box[dim] > 1);
    nodes_ *= box[dim];
  }
}

Topology::Topology(const TopologyConfig& config)
    : Topology(config, static_cast<std::uint32_t>(routers(config.size) * config.slots)) {}

std::vector<std::uint16_t> Topology::coordinates(NodeIndex node) const {
  std::vector<std::uint16_t> result;
  std::uint32_t rest = node.value;
  for (const std::uint16_t length : radix_) {
    result.push_back(static_cast<std::uint16_t>(rest % length));
    rest /= length;
  }
  return result;
}

NodeId Topology::id(NodeIndex node) const {
  unsigned shift = 0;
  unsigned id = 0;
  for (const std::uint16_t coordinate : coordinates(node)) {
    id |= unsigned{coordinate} << shift;
    shift += coordinate_bits(dims());
  }
  return NodeId{static_cast<std::uint16_t>(id)};
}

NodeIndex Topology::index(NodeId id) const {
  std::uint32_t index = 0;
  std::uint32_t stride = 1;
  unsigned rest = id.value;
  const unsigned bits = coordinate_bits(dims());
  for (const std::uint16_t length : radix_) {
    const unsigned coordinate = rest & ((1U << bits) - 1);
    if (coordinate >= length) throw std::out_of_range("no router has address " + std::to_string(id.value));
    index += coordinate * stride;
    stride *= length;
    rest >>= bits;
  }
  if (rest != 0) throw std::out_of_range("no router has address " + std::to_string(id.value));
  return NodeIndex{index};
}

std::optional<Topology::Link> Topology::neighbour(NodeIndex node, PortId port) const {
  const std::size_t dim = port.value / 2;
  const bool up = port.value % 2 == 0;
  std::uint32_t stride = 1;
  for (std::size_t lower = 0; lower < dim; ++lower) stride *= radix_[lower];
  const std::uint32_t length = radix_[dim];
  const std::uint32_t here = node.value / stride % length;
  if (!wrap_[dim] && here == (up ? length - 1 : 0)) return std::nullopt;
  const std::uint32_t there = (up ? here + 1 : here + length - 1) % length;
  return Link{.node = NodeIndex{node.value - here * stride + there * stride},
              .port = PortId{static_cast<std::uint8_t>(port.value ^ 1U)}};
}

Endpoint Topology::endpoint(std::uint32_t rank) const {
  return {.node = id(NodeIndex{rank / slots_}), .slot = SlotId{static_cast<std::uint8_t>(rank % slots_)}};
}

NodePlace Topology::place(NodeIndex node) const { return {.node_id = id(node).value, .radix = radix_, .wrap = wrap_}; }

}  // namespace tidings
