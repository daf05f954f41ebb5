// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/traffic/simulation.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "sim/traffic/flit_part.h"
#include "sim/traffic/worm_part.h"

namespace tidings::traffic {
namespace {

/// From this length of packets on it pays to look at heads and tails alone.
constexpr std::uint32_t kFewestFlitsOfWorms = 3;

std::unique_ptr<Part> make_part(const TrafficConfig& config, const Topology& topology, const Destinations& destinations,
                                Ledger::Window window, const std::vector<cycle::NodeRange>& parts, std::size_t here) {
  if (parts.size() == 1 && config.packet_flits >= kFewestFlitsOfWorms && WormPart::suits(config)) {
    return std::make_unique<WormPart>(config, topology, destinations, window);
  }
  return std::make_unique<FlitPart>(config, topology, destinations, window, parts, here);
}

}  // namespace

Simulation::Simulation(const TrafficConfig& config, const Destinations& destinations, Ledger::Window window)
    : topology_(config.machine.topology),
      look_ahead_(look_ahead_cycles(config)),
      ranges_(cycle::slices(topology_.nodes(), usable_threads(config))),
      parts_(ranges_.size()),
      team_(static_cast<unsigned>(ranges_.size())) {
  team_.run_apart(
      [&](unsigned part) { parts_[part] = make_part(config, topology_, destinations, window, ranges_, part); });
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
    for (std::uint32_t node = 0; node < part->nodes(); ++node) {
      for (std::uint8_t port = 0; port < topology_.ports(); ++port) {
        result.push_back(part->link_flits(NodeIndex{node}, PortId{port}));
      }
    }
  }
  return result;
}

std::uint64_t Simulation::flit_hops() const {
  const std::vector<std::uint64_t> flits = link_flits();
  return std::accumulate(flits.begin(), flits.end(), std::uint64_t{0});
}

}  // namespace tidings::traffic
