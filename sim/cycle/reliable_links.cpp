// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/reliable_links.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/machine/wires.h"

namespace tidings::cycle {
namespace {

/// A router and the direction of one of its ports, for messages.
std::string name_of_end(const Topology& topology, std::uint32_t end) {
  const NodeIndex node{end / topology.ports()};
  const std::uint32_t port = end % topology.ports();
  if (topology.is_graph()) {
    return "router " + topology.name(node) + ", port " + std::to_string(port) + " (" +
           topology.name(node, PortId{static_cast<std::uint8_t>(port)}) + ")";
  }
  std::string text = "router " + std::to_string(node.value) + " (";
  for (const std::uint16_t coordinate : topology.coordinates(node)) {
    if (text.back() != '(') text += ", ";
    text += std::to_string(coordinate);
  }
  return text + "), port " + std::to_string(port) + " (dimension " + std::to_string(port / 2) +
         (port % 2 == 0 ? ", +)" : ", -)");
}

}  // namespace

ReliableWires reliable_wires(const MachineConfig& config, const Topology& topology) {
  const NodeParameters parameters = node_parameters(config);
  std::vector<std::uint32_t> peers;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    for (std::uint8_t port = 0; port < topology.ports(); ++port) {
      const std::optional<Topology::NetworkPort> link = topology.neighbour(NodeIndex{node}, PortId{port});
      peers.push_back(link ? link->node.value * topology.ports() + link->port.value : ReliableWires::kNoPeer);
    }
  }
  const ReliableWires::Options options{
      .link = link_parameters(config.link.latency_cycles,
                              parameters.num_classes * (parameters.dateline != 0 ? 2 : 1) * parameters.buffer_flits),
      .latency = config.link.latency_cycles,
      .bit_error_rate = config.link.bit_error_rate,
      .seed = config.link.seed};
  return {options, std::move(peers), [topology](std::uint32_t end) { return name_of_end(topology, end); }};
}

ReliableLinks::ReliableLinks(const MachineConfig& config, const Topology& topology)
    : topology_(topology), latency_(config.link.latency_cycles), wires_(reliable_wires(config, topology)) {}

void ReliableLinks::send(Cycle /*cycle*/, NodeIndex node, PortId port, const PortOutput& output) {
  if (!topology_.neighbour(node, port)) return;
  const std::uint32_t end = node.value * topology_.ports() + port.value;
  if (output.flit_valid) wires_.send(end, output.flit);
  for (unsigned channel = 0; channel < 8; ++channel) {
    if ((output.credits >> channel & 1U) != 0) wires_.send_credit(end, channel);
  }
}

std::optional<Links::Arrival> ReliableLinks::take(Cycle cycle) {
  if (clocked_ != cycle) {
    wires_.arrive(
        cycle,
        [&](std::uint32_t end, const Flit& flit) {
          PortInput& input = arrival_from(cycle, end);
          input.flit_valid = true;
          input.flit = flit;
        },
        [&](std::uint32_t end, unsigned channel) {
          arrival_from(cycle, end).credits |= static_cast<std::uint8_t>(1U << channel);
        });
    wires_.close(cycle + latency_);
    clocked_ = cycle;
  }
  if (arrivals_.empty()) return std::nullopt;
  const Arrival arrival = arrivals_.front();
  arrivals_.pop_front();
  return arrival;
}

PortInput& ReliableLinks::arrival_from(Cycle cycle, std::uint32_t end) {
  const Topology::NetworkPort to = *topology_.neighbour(NodeIndex{end / topology_.ports()},
                                                        PortId{static_cast<std::uint8_t>(end % topology_.ports())});
  // What a link brings in a cycle comes together.
  if (arrivals_.empty() || arrivals_.back().to != to) arrivals_.push_back({.cycle = cycle, .to = to, .input = {}});
  return arrivals_.back().input;
}

LinksFactory links_factory() {
  return [](const MachineConfig& config, const Topology& topology) -> std::unique_ptr<Links> {
    if (config.link.reliable && topology.ports() != 0) return std::make_unique<ReliableLinks>(config, topology);
    return std::make_unique<Wires>(topology, config.link.latency_cycles);
  };
}

}  // namespace tidings::cycle
