// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/traffic/flit_part.h"

#include <algorithm>
#include <optional>

namespace tidings::traffic {

FlitPart::FlitPart(const TrafficConfig& config, const Topology& topology, const Destinations& destinations,
                   Ledger::Window window, const std::vector<cycle::NodeRange>& parts, std::size_t here)
    : Part(config, topology, destinations, window, parts, here),
      fabric_(
          node_parameters(config), topology, config.machine.link.latency_cycles,
          [&](NodeIndex node, unsigned slot) {
            return TrafficEndpoint(accounts(), addresses(), node.value * topology.slots() + slot,
                                   {.classes = config.classes,
                                    .packet_flits = config.packet_flits,
                                    .router_room = config.machine.node.slot_buffer_flits});
          },
          parts, here) {}

void FlitPart::create(std::uint32_t number, std::uint32_t destination, std::uint8_t message_class) {
  fabric_.slot(number - endpoints().first).create(destination, message_class);
  fabric_.wake(number - endpoints().first);
}

void FlitPart::run(Cycle end) {
  Cycle& now = accounts().now;
  while (now < end) {
    create_due();
    const std::optional<Cycle> arrival = fabric_.busy() ? now : fabric_.next_arrival();
    if (arrival == now) {
      fabric_.step(now);
      ++now;
    } else {
      now = std::min({end, sources().next(), arrival.value_or(end)});
    }
  }
  fabric_.sort_out();
}

void FlitPart::take_from(Part& other, std::size_t from, std::size_t here) {
  auto& part = dynamic_cast<FlitPart&>(other);
  fabric_.accept(from, part.fabric_.leaving(here));
  accounts().accept(part.accounts().departures(here));
}

}  // namespace tidings::traffic
