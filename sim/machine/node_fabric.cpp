// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/node_fabric.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/machine/wires.h"

namespace tidings {

NodeFabric::NodeFabric(const Topology& topology, std::unique_ptr<Links> links, const NodeFactory& factory,
                       Stepping stepping)
    : slots_(topology.slots()),
      hosts_(topology.hosts()),
      ports_(topology.ports()),
      stepping_(stepping),
      links_(std::move(links)),
      inputs_(topology.nodes()),
      busy_(topology.nodes()),
      active_(topology.nodes()),
      link_flits_(topology.nodes() * std::size_t{topology.ports()}) {
  for (std::uint32_t i = 0; i < topology.nodes(); ++i) {
    const NodeIndex node{i};
    inputs_[i].ports.resize(topology.ports());
    inputs_[i].slots.resize(slots_);
    nodes_.push_back(factory(node, topology.place(node)));
    if (nodes_.back()->outputs().busy) busy_.insert(node);
  }
  active_ = busy_;
}

SlotInput& NodeFabric::slot_input(std::size_t slot) {
  const NodeIndex node{static_cast<std::uint32_t>(slot / slots_)};
  active_.insert(node);
  return inputs_[node.value].slots[slot % slots_];
}

std::span<const NodeInputs> NodeFabric::inputs(Cycle cycle) {
  deliver(cycle);
  return inputs_;
}

void NodeFabric::deliver(Cycle cycle) {
  while (const std::optional<Links::Arrival> arrival = links_->take(cycle)) {
    active_.insert(arrival->to.node);
    // A flit and credits may have left the neighbour's two directions of one link in the same cycle: one arrival.
    inputs_[arrival->to.node.value].ports[arrival->to.port.value] = arrival->input;
  }
}

Fabric::Stepped NodeFabric::step(Cycle cycle) {
  deliver(cycle);
  if (stepping_ == Stepping::kEveryNode) {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) active_.insert(NodeIndex{i});
  }
  stepped_slots_.clear();
  active_.for_each([this](NodeIndex node) {
    NodeInputs& inputs = inputs_[node.value];
    nodes_[node.value]->step(inputs);
    std::fill(inputs.ports.begin(), inputs.ports.end(), PortInput{});
    std::fill(inputs.slots.begin(), inputs.slots.end(), SlotInput{});
    for (std::size_t s = 0; s < slots_ && node.value < hosts_; ++s) {
      stepped_slots_.push_back(std::size_t{node.value} * slots_ + s);
    }
    ++node_evaluations_;
  });
  active_.for_each([this, cycle](NodeIndex node) { collect(node, cycle + 1); });
  active_ = busy_;
  return {.slots = stepped_slots_, .busy = busy(), .may_be_steady = false};
}

void NodeFabric::collect(NodeIndex node, Cycle cycle) {
  const NodeOutputs& outputs = nodes_[node.value]->outputs();
  if (outputs.busy) {
    busy_.insert(node);
  } else {
    busy_.erase(node);
  }
  for (std::uint8_t port = 0; port < outputs.ports.size(); ++port) {
    const PortOutput& output = outputs.ports[port];
    if (output == PortOutput{}) continue;
    link_flits_[std::size_t{node.value} * ports_ + port] += output.flit_valid ? 1 : 0;
    links_->send(cycle, node, PortId{port}, output);
  }
}

NodeFactory mixed_factory(std::vector<NodeIndex> places, NodeFactory inside, NodeFactory outside) {
  return [places = std::move(places), inside = std::move(inside), outside = std::move(outside)](
             NodeIndex node, const NodePlace& place) {
    const bool is_inside = std::find(places.begin(), places.end(), node) != places.end();
    return is_inside ? inside(node, place) : outside(node, place);
  };
}

LinksFactory plain_links() {
  return [](const MachineConfig& config, const Topology& topology) {
    if (config.link.reliable) throw std::invalid_argument("link.reliable: these nodes are joined by plain links");
    return std::make_unique<Wires>(topology, config.link.latency_cycles);
  };
}

FabricFactory fabric_of(NodeFactory factory, NodeFabric::Stepping stepping, LinksFactory links) {
  return [factory = std::move(factory), stepping, links = std::move(links)](const MachineConfig& config,
                                                                            const Topology& topology) {
    std::vector<std::unique_ptr<Fabric>> parts;
    parts.push_back(std::make_unique<NodeFabric>(topology, links(config, topology), factory, stepping));
    return parts;
  };
}

}  // namespace tidings
