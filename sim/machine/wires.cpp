// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/wires.h"

#include <stdexcept>

namespace tidings {

Wires::Wires(const Topology& topology, std::uint32_t latency) : ports_(topology.ports()) {
  if (latency == 0) throw std::invalid_argument("link latency must be at least 1 cycle, not 0");
  ways_.reserve(std::size_t{topology.nodes()} * ports_);
  for (std::uint32_t i = 0; i < topology.nodes(); ++i) {
    for (std::uint8_t p = 0; p < ports_; ++p) {
      const NodeIndex node{i};
      const PortId port{p};
      const std::uint32_t own = topology.latency(node, port).value_or(latency);
      ways_.push_back({.link = topology.neighbour(node, port), .latency = own, .queue = &queues_[own]});
    }
  }
}

void Wires::send(Cycle cycle, NodeIndex node, PortId port, const PortOutput& output) {
  const Way& way = ways_[std::size_t{node.value} * ports_ + port.value];
  if (!way.link) return;
  const bool tokens = output.tokens != 0 && Topology::carries_tokens(node, port, way.link->node);
  if (!output.flit_valid && output.credits == 0 && !tokens && output.link == SideLink{}) return;
  way.queue->push_back({.cycle = cycle + (way.latency - 1),
                        .to = *way.link,
                        .input = {.flit_valid = output.flit_valid,
                                  .flit = output.flit,
                                  .credits = output.credits,
                                  .tokens = tokens ? output.tokens : std::uint8_t{0},
                                  .link = output.link}});
}

std::optional<Cycle> Wires::next() const {
  std::optional<Cycle> next;
  for (const auto& [latency, queue] : queues_) {
    if (!queue.empty() && (!next || queue.front().cycle < *next)) next = queue.front().cycle;
  }
  return next;
}

std::optional<Links::Arrival> Wires::take(Cycle cycle) {
  for (auto& [latency, queue] : queues_) {
    if (queue.empty() || queue.front().cycle != cycle) continue;
    const Arrival arrival = queue.front();
    queue.pop_front();
    return arrival;
  }
  return std::nullopt;
}

}  // namespace tidings
