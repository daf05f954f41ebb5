// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/traffic/simulation.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace tidings::traffic {
namespace {

/// The first word of a packet to each endpoint, without its source.
std::vector<std::uint32_t> header_addresses(const Topology& topology) {
  constexpr unsigned kNodeShift = 12, kSlotShift = 24;
  std::vector<std::uint32_t> addresses;
  for (std::uint32_t number = 0; number < topology.endpoints(); ++number) {
    const Endpoint endpoint = topology.endpoint(number);
    addresses.push_back(std::uint32_t{endpoint.slot.value} << kSlotShift | std::uint32_t{endpoint.node.value}
                                                                               << kNodeShift);
  }
  return addresses;
}

/// Endpoints of a part: routers without slots come last.
Ledger::Range endpoints_of(const cycle::NodeRange& nodes, const Topology& topology) {
  return {.first = std::min(nodes.first, topology.hosts()) * topology.slots(),
          .end = std::min(nodes.end, topology.hosts()) * topology.slots()};
}

/// Of all parts.
std::vector<Ledger::Range> endpoints_of(const std::vector<cycle::NodeRange>& parts, const Topology& topology) {
  std::vector<Ledger::Range> ranges;
  for (const cycle::NodeRange& nodes : parts) ranges.push_back(endpoints_of(nodes, topology));
  return ranges;
}

}  // namespace

Part::Part(const TrafficConfig& config, const Topology& topology, const Destinations& destinations,
           Ledger::Window window, const std::vector<cycle::NodeRange>& parts, std::size_t here)
    : endpoints_(endpoints_of(parts[here], topology)),
      ledger_(endpoints_of(parts, topology), here, window),
      sources_(config, destinations, endpoints_),
      addresses_(header_addresses(topology)),
      fabric_(
          node_parameters(config), topology, config.machine.link.latency_cycles,
          [&](NodeIndex node, unsigned slot) {
            return TrafficEndpoint(ledger_, addresses_, node.value * topology.slots() + slot,
                                   {.classes = config.classes,
                                    .packet_flits = config.packet_flits,
                                    .router_room = config.machine.node.slot_buffer_flits});
          },
          parts, here) {}

void Part::create(std::uint32_t number, std::uint32_t destination, std::uint8_t message_class) {
  fabric_.slot(number - endpoints_.first).create(destination, message_class);
  fabric_.wake(number - endpoints_.first);
}

void Part::run(Cycle end) {
  Cycle& now = ledger_.now;
  while (now < end) {
    while (sources_.next() == now) {
      sources_.take([this](std::uint32_t number, std::uint32_t destination, std::uint8_t message_class) {
        create(number, destination, message_class);
      });
    }
    const std::optional<Cycle> arrival = fabric_.busy() ? now : fabric_.next_arrival();
    if (arrival == now) {
      fabric_.step(now);
      ++now;
    } else {
      now = std::min({end, sources_.next(), arrival.value_or(end)});
    }
  }
  fabric_.sort_out();
}

void Part::take_from(Part& other, std::size_t from, std::size_t here) {
  fabric_.accept(from, other.fabric_.leaving(here));
  ledger_.accept(other.ledger_.departures(here));
}

Simulation::Simulation(const TrafficConfig& config, const Destinations& destinations, Ledger::Window window)
    : topology_(config.machine.topology),
      look_ahead_(look_ahead_cycles(config)),
      ranges_(cycle::slices(topology_.nodes(), usable_threads(config))),
      parts_(ranges_.size()),
      team_(static_cast<unsigned>(ranges_.size())) {
  team_.run_apart([&](unsigned part) {
    parts_[part] = std::make_unique<Part>(config, topology_, destinations, window, ranges_, part);
  });
}

void Simulation::stop_sources() {
  for (const auto& part : parts_) part->stop_sources();
}

void Simulation::create(std::uint32_t number, std::uint32_t destination, std::uint8_t message_class) {
  const std::uint32_t node = number / topology_.slots();
  const auto part = std::ranges::find_if(ranges_, [node](const cycle::NodeRange& range) { return node < range.end; });
  parts_[static_cast<std::size_t>(part - ranges_.begin())]->create(number, destination, message_class);
}

void Simulation::run(Cycle end) {
  if (parts_.size() > 1) end = std::min(end, now_ + look_ahead_);
  team_.run([this, end](unsigned part) { parts_[part]->run(end); });
  now_ = end;
  if (parts_.size() == 1) return;
  team_.run([this](unsigned here) {
    for (std::size_t from = 0; from < parts_.size(); ++from) {
      if (from != here) parts_[here]->take_from(*parts_[from], from, here);
    }
  });
}

Counts Simulation::counts() const {
  Counts sum;
  for (const auto& part : parts_) sum += part->ledger().counts();
  return sum;
}

Latencies Simulation::latencies() const {
  Latencies all;
  for (const auto& part : parts_) all.add(part->ledger().latencies());
  return all;
}

Latencies Simulation::network_latencies() const {
  Latencies all;
  for (const auto& part : parts_) all.add(part->ledger().network_latencies());
  return all;
}

std::vector<std::uint64_t> Simulation::link_flits() const {
  std::vector<std::uint64_t> result;
  for (const auto& part : parts_) {
    for (std::uint32_t node = 0; node < part->fabric().nodes(); ++node) {
      for (std::uint8_t port = 0; port < topology_.ports(); ++port) {
        result.push_back(part->fabric().link_flits(NodeIndex{node}, PortId{port}));
      }
    }
  }
  return result;
}

std::uint64_t Simulation::flit_hops() const {
  std::uint64_t sum = 0;
  for (const auto& part : parts_) sum += part->fabric().flit_hops();
  return sum;
}

}  // namespace tidings::traffic
