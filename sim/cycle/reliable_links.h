// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file reliable_links.h
/// Links with bit errors between nodes of any kind.
#include <cstdint>
#include <deque>
#include <optional>

#include "sim/cycle/reliable_wires.h"
#include "sim/machine/links.h"
#include "sim/machine/machine_config.h"
#include "sim/machine/topology.h"

namespace tidings::cycle {

/// The wires of a machine whose links are reliable.
[[nodiscard]] ReliableWires reliable_wires(const MachineConfig& config, const Topology& topology);

/// `ReliableWires` for nodes of RTL, or of both kinds.
class ReliableLinks : public Links {
 public:
  ReliableLinks(const MachineConfig& config, const Topology& topology);

  void send(Cycle cycle, NodeIndex node, PortId port, const PortOutput& output) override;
  [[nodiscard]] std::optional<Cycle> next() const override { return wires_.next(); }
  /// @throws LinkError if a link is dead.
  [[nodiscard]] std::optional<Arrival> take(Cycle cycle) override;

 private:
  /// What arrives from an end in the cycle that is being taken.
  PortInput& arrival_from(Cycle cycle, std::uint32_t end);

  Topology topology_;
  std::uint32_t latency_;
  ReliableWires wires_;
  std::optional<Cycle> clocked_;  ///< the cycle whose edge the ends have had
  std::deque<Arrival> arrivals_;
};

/// Links as a machine's configuration says: plain wires, or reliable links.
[[nodiscard]] LinksFactory links_factory();

}  // namespace tidings::cycle
