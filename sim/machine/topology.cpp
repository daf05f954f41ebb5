// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/topology.h"

#include <algorithm>
#include <limits>
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

void check_ranks(std::uint32_t ranks, std::uint64_t available) {
  if (ranks == 0) throw std::invalid_argument("a machine needs at least 1 rank, not 0");
  if (ranks > available) {
    throw std::invalid_argument(std::to_string(ranks) + " ranks do not fit the machine's " + std::to_string(available) +
                                " slots");
  }
}

Box smallest_box(const TopologyConfig& config, std::uint32_t ranks) {
  check_ranks(ranks, routers(config.size) * config.slots);
  Box box(config.size.size(), 1);
  Box best = config.size;
  search(config.size, (ranks + config.slots - 1) / config.slots, 0, box, best);
  return best;
}

}  // namespace

Topology::Topology(const TopologyConfig& config, std::uint32_t ranks) : slots_(config.slots) {
  if (config.kind == TopologyKind::kGraph) {
    graph_ = std::make_shared<Graph>(config);
    nodes_ = graph_->routers();
    check_ranks(ranks, endpoints());
    return;
  }
  const Box box = smallest_box(config, ranks);
  for (std::size_t dim = 0; dim < box.size(); ++dim) {
    radix_.push_back(static_cast<std::uint16_t>(box[dim]));
    wrap_.push_back(is_wrapped(config.kind) && box[dim] == config.size[dim] && box[dim] > 1);
    nodes_ *= box[dim];
  }
}

Topology::Topology(const TopologyConfig& config)
    : Topology(config, config.kind == TopologyKind::kGraph
                           ? 1
                           : static_cast<std::uint32_t>(routers(config.size) * config.slots)) {}

std::uint32_t Topology::layers() const {
  if (!graph_) return std::ranges::find(wrap_, true) != wrap_.end() ? 2 : 1;
  for (std::uint32_t node = 0; node < nodes_; ++node) {
    if (std::ranges::any_of(graph_->table(NodeIndex{node}), [](const RouteRow& row) { return row.layer != 0; })) {
      return 2;
    }
  }
  return 1;
}

std::vector<std::uint16_t> Topology::coordinates(NodeIndex node) const {
  if (graph_) return {static_cast<std::uint16_t>(node.value)};
  std::vector<std::uint16_t> result;
  std::uint32_t rest = node.value;
  for (const std::uint16_t length : radix_) {
    result.push_back(static_cast<std::uint16_t>(rest % length));
    rest /= length;
  }
  return result;
}

NodeId Topology::id(NodeIndex node) const {
  if (graph_) return NodeId{static_cast<std::uint16_t>(node.value)};
  const unsigned bits = coordinate_bits(dims());
  unsigned shift = 0;
  unsigned id = 0;
  std::uint32_t rest = node.value;
  for (const std::uint16_t length : radix_) {
    id |= rest % length << shift;
    rest /= length;
    shift += bits;
  }
  return NodeId{static_cast<std::uint16_t>(id)};
}

NodeIndex Topology::index(NodeId id) const {
  if (graph_) {
    if (id.value >= nodes_) throw std::out_of_range("no router has address " + std::to_string(id.value));
    return NodeIndex{id.value};
  }
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

NodeIndex Topology::at(const std::vector<std::uint32_t>& coordinates) const {
  const std::vector<std::uint32_t> lengths =
      graph_ ? std::vector<std::uint32_t>{nodes_} : std::vector<std::uint32_t>(radix_.begin(), radix_.end());
  bool exists = coordinates.size() == lengths.size();
  std::uint32_t index = 0;
  for (std::size_t d = lengths.size(); exists && d-- > 0;) {
    exists = coordinates[d] < lengths[d];
    index = index * lengths[d] + coordinates[d];
  }
  if (!exists) throw std::out_of_range("no router has these coordinates");
  return NodeIndex{index};
}

std::optional<Topology::NetworkPort> Topology::neighbour(NodeIndex node, PortId port) const {
  if (graph_) return graph_->neighbour(node, port);
  const std::size_t dim = port.value / 2;
  const bool up = port.value % 2 == 0;
  std::uint32_t stride = 1;
  for (std::size_t lower = 0; lower < dim; ++lower) stride *= radix_[lower];
  const std::uint32_t length = radix_[dim];
  const std::uint32_t here = node.value / stride % length;
  if (!wrap_[dim] && here == (up ? length - 1 : 0)) return std::nullopt;
  const std::uint32_t there = (up ? here + 1 : here + length - 1) % length;
  return NetworkPort{.node = NodeIndex{node.value - here * stride + there * stride},
                     .port = PortId{static_cast<std::uint8_t>(port.value ^ 1U)}};
}

Endpoint Topology::endpoint(std::uint32_t number) const {
  return slot_address(id(NodeIndex{number / slots_}), number % slots_);
}

std::uint32_t Topology::number(Endpoint endpoint) const {
  NodeId router = endpoint.node;
  std::uint32_t slot = endpoint.slot.value;
  if (slots_ > kMaxSlots) {
    slot += router.value * kMaxSlots;
    router = NodeId{0};
  }
  const std::uint32_t node = index(router).value;
  if (slot >= slots_) {
    throw std::out_of_range("no slot " + std::to_string(slot) + " in a router of " + std::to_string(slots_));
  }
  if (node >= hosts()) throw std::out_of_range("router " + std::to_string(node) + " has no slots");
  return node * slots_ + slot;
}

std::optional<std::uint32_t> Topology::latency(NodeIndex node, PortId port) const {
  return graph_ ? graph_->latency(node, port) : std::nullopt;
}

NodePlace Topology::place(NodeIndex node) const {
  NodePlace place{.node_id = id(node).value, .radix = radix_, .wrap = wrap_};
  if (graph_) {
    const auto table = graph_->table(node);
    place.table.assign(table.begin(), table.end());
  }
  return place;
}

Topology::Hops Topology::hops() const {
  Hops hops;
  const double others = hosts() - 1;
  if (hosts() == 1) return hops;
  if (!graph_) {
    for (std::size_t d = 0; d < radix_.size(); ++d) {
      const std::uint32_t length = radix_[d];
      hops.most += wrap_[d] ? length / 2 : length - 1;
      double sum = 0;  // from one place to all, on average
      for (std::uint32_t step = 1; step < length; ++step) {
        sum += wrap_[d] ? std::min(step, length - step) : 2.0 * step * (length - step) / length;
      }
      hops.mean += sum / length * nodes_ / others;
    }
    return hops;
  }
  constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> distance;
  std::vector<std::uint32_t> way;
  double sum = 0;
  for (std::uint32_t to = 0; to < hosts(); ++to) {
    distance.assign(nodes_, kUnknown);
    distance[to] = 0;
    for (std::uint32_t from = 0; from < hosts(); ++from) {
      std::uint32_t at = from;
      while (distance[at] == kUnknown) {
        way.push_back(at);
        at = graph_->neighbour(NodeIndex{at}, PortId{graph_->table(NodeIndex{at})[to].port})->node.value;
      }
      for (std::uint32_t steps = distance[at]; !way.empty(); way.pop_back()) distance[way.back()] = ++steps;
      hops.most = std::max(hops.most, distance[from]);
      sum += distance[from];
    }
  }
  hops.mean = sum / hosts() / others;
  return hops;
}

std::uint32_t Topology::bisection_links() const {
  if (graph_) return 2 * cut_of_halves();
  if (radix_.empty()) return 0;
  const auto longest = static_cast<std::size_t>(std::ranges::max_element(radix_) - radix_.begin());
  const std::uint32_t cuts = wrap_[longest] && radix_[longest] > 2 ? 2 : 1;
  return 2 * cuts * nodes_ / radix_[longest];
}

/// By augmenting paths: each link carries one unit, in either direction.
std::uint32_t Topology::cut_of_halves() const {
  constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t half = hosts() / 2;
  const std::uint32_t ports = graph_->ports();
  std::vector<bool> full(std::size_t{nodes_} * ports);  // the direction out of a port
  std::vector<std::uint32_t> came_by;                   // router * ports + port of the neighbour before
  for (std::uint32_t flow = 0;; ++flow) {
    came_by.assign(nodes_, kNobody);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < half; ++i) open.push_back(i);
    std::uint32_t end = kNobody;
    for (std::size_t i = 0; i < open.size() && end == kNobody; ++i) {
      for (std::uint8_t port = 0; port < ports; ++port) {
        const auto link = graph_->neighbour(NodeIndex{open[i]}, PortId{port});
        const std::uint32_t way = open[i] * ports + port;
        if (!link || full[way] || link->node.value < half || came_by[link->node.value] != kNobody) continue;
        came_by[link->node.value] = way;
        open.push_back(link->node.value);
        if (link->node.value < hosts()) end = link->node.value;
      }
    }
    if (end == kNobody) return flow;
    while (end >= half) {
      const std::uint32_t way = came_by[end];
      const NodeIndex before{way / ports};
      const auto link = graph_->neighbour(before, PortId{static_cast<std::uint8_t>(way % ports)});
      const std::size_t back = std::size_t{link->node.value} * ports + link->port.value;
      // A unit that comes back over the link cancels one that went.
      if (full[back]) {
        full[back] = false;
      } else {
        full[way] = true;
      }
      end = before.value;
    }
  }
}

std::string Topology::name(NodeIndex node) const {
  if (graph_) return std::to_string(node.value);
  std::string text;
  for (const std::uint16_t coordinate : coordinates(node))
    text += (text.empty() ? "(" : ",") + std::to_string(coordinate);
  return text.empty() ? text : text + ")";
}

std::string Topology::name(NodeIndex node, PortId port) const {
  if (graph_) {
    const auto link = graph_->neighbour(node, port);
    return link ? "to " + std::to_string(link->node.value) : "port " + std::to_string(port.value);
  }
  return std::string(1, port.value % 2 == 0 ? '+' : '-') + "xyzw"[port.value / 2];
}

}  // namespace tidings
