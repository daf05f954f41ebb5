// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file wires.h
/// The links: what leaves a port reaches the neighbour's port a fixed number of cycles later.
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "sim/machine/links.h"
#include "sim/machine/node.h"
#include "sim/machine/topology.h"
#include "sim/machine/types.h"

namespace tidings {

/// Links without errors. Only what moves costs time: arrivals over links of the same latency are due in the order in
/// which they were sent.
class Wires : public Links {
 public:
  /// @param latency in cycles, at least 1, of links that have none of their own; an output of cycle t is an input of
  /// cycle t + latency - 1.
  Wires(const Topology& topology, std::uint32_t latency);

  void send(Cycle cycle, NodeIndex node, PortId port, const PortOutput& output) override;
  [[nodiscard]] std::optional<Cycle> next() const override;
  [[nodiscard]] std::optional<Arrival> take(Cycle cycle) override;

 private:
  using Queue = std::deque<Arrival>;
  /// Where a link leads, and what is on links of its latency.
  struct Way {
    std::optional<Topology::NetworkPort> link;
    std::uint32_t latency = 0;
    Queue* queue = nullptr;
  };

  std::uint32_t ports_;
  std::vector<Way> ways_;                  ///< node * ports_ + port
  std::map<std::uint32_t, Queue> queues_;  ///< by latency
};

}  // namespace tidings
