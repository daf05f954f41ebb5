// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file destinations.h
/// A traffic pattern on a machine: where packets go.
#include <cstdint>
#include <vector>

#include "sim/machine/topology.h"
#include "sim/traffic/random.h"
#include "sim/traffic/traffic_config.h"

namespace tidings::traffic {

/// Endpoints are numbered router * slots + slot, as ranks are.
class Destinations {
 public:
  /// @throws std::invalid_argument where the pattern is not defined for the machine.
  Destinations(const Topology& topology, const PatternConfig& pattern);

  [[nodiscard]] std::uint32_t endpoints() const { return endpoints_; }

  /// Where a packet goes. @param sent packets that the source has created before.
  [[nodiscard]] std::uint32_t draw(std::uint32_t source, std::uint64_t sent, Random& random) const;

  /// Expected share of an endpoint's packets.
  [[nodiscard]] double share(std::uint32_t source, std::uint32_t destination) const;
  /// Expected packets between two routers while every endpoint sends one.
  [[nodiscard]] double node_share(std::uint32_t source_node, std::uint32_t destination_node) const;
  /// Expected packets for an endpoint while every endpoint sends one.
  [[nodiscard]] double arrivals(std::uint32_t destination) const;

 private:
  PatternConfig pattern_;
  std::uint32_t slots_;
  std::uint32_t endpoints_;
  std::vector<std::uint32_t> permutation_;  ///< destination of each endpoint; empty if it has several
};

}  // namespace tidings::traffic
