// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/node.h"

#include <algorithm>

#include "sim/machine/network_ports.h"
#include "sim/machine/topology.h"

namespace tidings::cycle {

SlotParameters slot_parameters(const NodeParameters& parameters, unsigned number) {
  // Taps and lane are slot 0's.
  const bool direct = parameters.direct_links != 0 && number == 0;
  return {.node = parameters,
          .static_flits = static_flits(parameters),
          .direct_links = direct ? 2 * parameters.dims : 0,
          .engines = engines_at(parameters, number)};
}

std::vector<Slot> make_slots(const NodeParameters& parameters, const NodePlace& place) {
  std::vector<Slot> slots;
  slots.reserve(parameters.num_slots);
  for (std::uint8_t s = 0; s < parameters.num_slots; ++s) {
    const Endpoint address = slot_address(NodeId{place.node_id}, s);
    slots.emplace_back(slot_parameters(parameters, s), address.node, address.slot);
  }
  return slots;
}

CycleNode::CycleNode(const NodeParameters& parameters, const NodePlace& place)
    : node_(parameters, {place}, make_slots(parameters, place)) {
  outputs_.ports.resize(network_ports(parameters));
  for (std::size_t s = 0; s < parameters.num_slots; ++s) outputs_.slots.push_back(node_.slot(s).outputs());
  outputs_.busy = node_.busy(0);
}

void CycleNode::step(const NodeInputs& inputs) {
  std::uint32_t tokens = 0;
  for (unsigned port = 0; port < inputs.ports.size(); ++port) {
    node_.receive(0, port, inputs.ports[port]);
    if (port < tidings_pkg::kBarrierPorts) tokens |= inputs.ports[port].tokens << (port * tidings_pkg::kBarrierGroups);
    if (const SideLink& link = inputs.ports[port].link; port < tidings_pkg::kSwitchPorts && link != SideLink{}) {
      node_.receive_link(0, port, link);
    }
  }
  if (tokens != 0) node_.receive_tokens(0, tokens);
  std::uint64_t touched = 0;
  for (std::size_t s = 0; s < inputs.slots.size(); ++s) {
    if (inputs.slots[s].bus_valid || inputs.slots[s].memory_data_valid) touched |= std::uint64_t{1} << s;
  }
  node_.clock_slots(0, touched, inputs.slots.data(), [](std::size_t) {});
  std::fill(outputs_.ports.begin(), outputs_.ports.end(), PortOutput{});
  const RouterNumbers& numbers = node_.routers().plan().numbers;
  node_.send(
      [&](std::uint32_t channel, const BufferedWord& word) {
        PortOutput& output = outputs_.ports[numbers.port(channel)];
        output.flit_valid = true;
        output.flit = {.vc = static_cast<std::uint8_t>(numbers.vc(channel)), .last = word.last, .data = word.data};
      },
      [&](std::uint32_t channel) {
        outputs_.ports[numbers.port(channel)].credits |= static_cast<std::uint8_t>(1U << numbers.vc(channel));
      });
  for (unsigned port = 0; port < std::min<std::size_t>(outputs_.ports.size(), tidings_pkg::kBarrierPorts); ++port) {
    outputs_.ports[port].tokens = static_cast<std::uint8_t>(node_.tokens(0) >> (port * tidings_pkg::kBarrierGroups));
  }
  for (unsigned port = 0; port < outputs_.ports.size() && node_.shows_links(0); ++port) {
    outputs_.ports[port].link = node_.link(0, port);
  }
  outputs_.busy = node_.busy(0);
  for (std::size_t s = 0; s < outputs_.slots.size(); ++s) outputs_.slots[s] = node_.slot(s).outputs();
}

NodeFactory cycle_node_factory(const NodeParameters& parameters) {
  return [parameters](NodeIndex, const NodePlace& place) { return std::make_unique<CycleNode>(parameters, place); };
}

}  // namespace tidings::cycle
