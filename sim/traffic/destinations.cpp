// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/traffic/destinations.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>

namespace tidings::traffic {
namespace {

/// Coordinates are of slots, not of routers.
bool is_crossbar(const Topology& topology) { return topology.dims() == 0 && !topology.is_graph(); }

/// Sizes of the dimensions; the only one of a crossbar is its slots, that of a graph its routers with slots.
std::vector<std::uint32_t> lengths(const Topology& topology) {
  if (is_crossbar(topology)) return {topology.slots()};
  if (topology.is_graph()) return {topology.hosts()};
  return {topology.radix().begin(), topology.radix().end()};
}

/// Apply `move(coordinate, length)` in every dimension.
std::uint32_t move_digits(std::uint32_t node, const std::vector<std::uint32_t>& lengths,
                          const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& move) {
  std::uint32_t result = 0;
  std::uint32_t stride = 1;
  for (const std::uint32_t length : lengths) {
    result += move(node / stride % length, length) * stride;
    stride *= length;
  }
  return result;
}

/// Half of the digits of a router's number.
std::uint32_t transpose_base(const std::vector<std::uint32_t>& lengths) {
  std::uint32_t nodes = 1;
  std::string size;
  for (const std::uint32_t length : lengths) {
    nodes *= length;
    size += (size.empty() ? "" : "x") + std::to_string(length);
  }
  const auto base = static_cast<std::uint32_t>(std::lround(std::sqrt(nodes)));
  if (base * base != nodes || (lengths.size() == 2 && lengths[0] != lengths[1])) {
    throw std::invalid_argument("transpose is not defined for a machine of " + size +
                                ": it swaps the halves of a router's number, so the machine must be square");
  }
  return base;
}

/// Where the pattern sends each router's packets, or each slot's of a crossbar; empty if to several.
std::vector<std::uint32_t> digit_permutation(const Topology& topology, Pattern pattern) {
  const std::vector<std::uint32_t> sizes = lengths(topology);
  std::function<std::uint32_t(std::uint32_t)> destination;
  switch (pattern) {
    case Pattern::kTranspose: {
      const std::uint32_t base = transpose_base(sizes);
      destination = [base](std::uint32_t node) { return node % base * base + node / base; };
      break;
    }
    case Pattern::kBitComplement:
      destination = [&](std::uint32_t node) {
        return move_digits(node, sizes, [](std::uint32_t x, std::uint32_t k) { return k - 1 - x; });
      };
      break;
    case Pattern::kNeighbour:
      destination = [&](std::uint32_t node) {
        return move_digits(node, sizes, [](std::uint32_t x, std::uint32_t k) { return (x + 1) % k; });
      };
      break;
    case Pattern::kTornado:
      destination = [&](std::uint32_t node) {
        return move_digits(node, sizes, [](std::uint32_t x, std::uint32_t k) { return (x + (k + 1) / 2 - 1) % k; });
      };
      break;
    case Pattern::kUniform:
    case Pattern::kHotspot:
    case Pattern::kUnbalanced:
    case Pattern::kAllToAll:
      return {};
  }
  std::vector<std::uint32_t> result(is_crossbar(topology) ? topology.slots() : topology.hosts());
  for (std::uint32_t node = 0; node < result.size(); ++node) result[node] = destination(node);
  return result;
}

void check_hotspot(const PatternConfig& pattern, std::uint32_t endpoints) {
  if (pattern.hot_endpoints.empty()) throw std::invalid_argument("hotspot needs at least one hot endpoint");
  for (const std::uint32_t hot : pattern.hot_endpoints) {
    if (hot < endpoints) continue;
    throw std::invalid_argument("hot endpoint " + std::to_string(hot) + " does not exist: they are 0 to " +
                                std::to_string(endpoints - 1));
  }
}

void check_share(const PatternConfig& pattern) {
  if (pattern.hot_share > 0 && pattern.hot_share <= 1) return;
  throw std::invalid_argument("the hot share of the packets is " + std::to_string(pattern.hot_share) +
                              "; it must be more than 0 and at most 1");
}

}  // namespace

Destinations::Destinations(const Topology& topology, const PatternConfig& pattern)
    : pattern_(pattern), slots_(topology.slots()), endpoints_(topology.endpoints()) {
  if (pattern.kind == Pattern::kHotspot) check_hotspot(pattern, endpoints_);
  if (pattern.kind == Pattern::kHotspot || pattern.kind == Pattern::kUnbalanced) check_share(pattern);
  if (pattern.kind == Pattern::kAllToAll && endpoints_ < 2) {
    throw std::invalid_argument("alltoall needs at least 2 endpoints, and the machine has 1");
  }
  const std::vector<std::uint32_t> digits = digit_permutation(topology, pattern.kind);
  if (is_crossbar(topology)) {
    permutation_ = digits;
    return;
  }
  for (const std::uint32_t node : digits) {
    for (std::uint32_t slot = 0; slot < slots_; ++slot) permutation_.push_back(node * slots_ + slot);
  }
}

std::uint32_t Destinations::draw(std::uint32_t source, std::uint64_t sent, Random& random) const {
  if (!permutation_.empty()) return permutation_[source];
  if (pattern_.kind == Pattern::kAllToAll) {
    return static_cast<std::uint32_t>((source + 1 + sent % (endpoints_ - 1)) % endpoints_);
  }
  if (pattern_.kind == Pattern::kHotspot && random.share() <= pattern_.hot_share) {
    return pattern_.hot_endpoints[random.below(static_cast<std::uint32_t>(pattern_.hot_endpoints.size()))];
  }
  if (pattern_.kind == Pattern::kUnbalanced && random.share() <= pattern_.hot_share) return source;
  return random.below(endpoints_);
}

double Destinations::share(std::uint32_t source, std::uint32_t destination) const {
  if (!permutation_.empty()) return permutation_[source] == destination ? 1 : 0;
  if (pattern_.kind == Pattern::kAllToAll) return source == destination ? 0 : 1.0 / (endpoints_ - 1);
  if (pattern_.kind == Pattern::kHotspot) {
    const auto& hot = pattern_.hot_endpoints;
    const auto times = static_cast<double>(std::count(hot.begin(), hot.end(), destination));
    return pattern_.hot_share * times / static_cast<double>(hot.size()) + (1 - pattern_.hot_share) / endpoints_;
  }
  if (pattern_.kind == Pattern::kUnbalanced) {
    return (source == destination ? pattern_.hot_share : 0) + (1 - pattern_.hot_share) / endpoints_;
  }
  return 1.0 / endpoints_;
}

double Destinations::node_share(std::uint32_t source_node, std::uint32_t destination_node) const {
  if (slots_ == 1) return share(source_node, destination_node);
  double sum = 0;
  for (std::uint32_t from = 0; from < slots_; ++from) {
    for (std::uint32_t to = 0; to < slots_; ++to) {
      sum += share(source_node * slots_ + from, destination_node * slots_ + to);
    }
  }
  return sum;
}

double Destinations::arrivals(std::uint32_t destination) const {
  double sum = 0;
  for (std::uint32_t source = 0; source < endpoints_; ++source) sum += share(source, destination);
  return sum;
}

}  // namespace tidings::traffic
