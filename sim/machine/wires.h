// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file wires.h
/// The links: what leaves a port reaches the neighbour's port a fixed number of cycles later.
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/machine/links.h"
#include "sim/machine/node.h"
#include "sim/machine/topology.h"
#include "sim/machine/types.h"

namespace tidings {

/// Links without errors. Only what moves costs time: since every link has the same latency, arrivals are due in the
/// order in which they were sent.
class Wires : public Links {
 public:
  /// @param latency in cycles, at least 1; an output of cycle t is an input of cycle t + latency - 1.
  Wires(const Topology& topology, std::uint32_t latency);

  void send(Cycle cycle, NodeIndex node, PortId port, const PortOutput& output) override;
  [[nodiscard]] std::optional<Cycle> next() const override;
  [[nodiscard]] std::optional<Arrival> take(Cycle cycle) override;

 private:
  std::uint32_t ports_;
  std::uint32_t latency_;
  std::vector<std::optional<Topology::Link>> links_;  ///< node * ports_ + port
  std::deque<Arrival> in_flight_;
};

}  // namespace tidings
