// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/wires.h"

#include <stdexcept>

namespace tidings {

Wires::Wires(const Topology& topology, std::uint32_t latency) : ports_(topology.ports()), latency_(latency) {
  if (latency == 0) throw std::invalid_argument("link latency must be at least 1 cycle, not 0");
  links_.reserve(std::size_t{topology.nodes()} * ports_);
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    for (std::uint8_t port = 0; port < ports_; ++port) {
      links_.push_back(topology.neighbour(NodeIndex{node}, PortId{port}));
    }
  }
}

void Wires::send(Cycle cycle, NodeIndex node, PortId port, const PortOutput& output) {
  const std::optional<Topology::Link>& link = links_[std::size_t{node.value} * ports_ + port.value];
  if (!link) return;
  in_flight_.push_back({.cycle = cycle + (latency_ - 1),
                        .to = *link,
                        .input = {.flit_valid = output.flit_valid, .flit = output.flit, .credits = output.credits}});
}

std::optional<Cycle> Wires::next() const {
  if (in_flight_.empty()) return std::nullopt;
  return in_flight_.front().cycle;
}

std::optional<Links::Arrival> Wires::take(Cycle cycle) {
  if (in_flight_.empty() || in_flight_.front().cycle != cycle) return std::nullopt;
  const Arrival arrival = in_flight_.front();
  in_flight_.pop_front();
  return arrival;
}

}  // namespace tidings
