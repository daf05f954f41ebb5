// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/machine_fabric.h"

#include <algorithm>
#include <memory>

namespace tidings::cycle {

MachineFabric::MachineFabric(const NodeParameters& parameters, const Topology& topology, std::uint32_t link_latency,
                             Range range)
    : fabric_(
          parameters, topology, link_latency,
          [&](NodeIndex node, SlotId slot) { return Slot(slot_parameters(parameters), topology.id(node), slot); },
          range),
      range_(range),
      slots_(topology.slots()),
      ports_(topology.ports()) {}

void MachineFabric::step(Cycle cycle) {
  stepped_slots_.clear();
  fabric_.step(cycle, [this](std::size_t slot) { stepped_slots_.push_back(slot); });
  ++steps_;
}

void MachineFabric::exchange() {
  const auto part_of = [this](NodeIndex node) -> MachineFabric& {
    return **std::ranges::find_if(parts_, [node](const MachineFabric* part) { return node.value < part->range_.end; });
  };
  const auto here = static_cast<std::size_t>(std::ranges::find(parts_, this) - parts_.begin());
  fabric_.hand_on([&](Cycle cycle, NodeIndex node, std::uint8_t port,
                      const Flit& flit) { part_of(node).fabric_.accept(here, cycle, node, port, flit); },
                  [&](Cycle cycle, NodeIndex node, std::uint8_t port, unsigned channel) {
                    part_of(node).fabric_.accept_credit(here, cycle, node, port, channel);
                  });
  for (MachineFabric* part : parts_) part->fabric_.close(here);
}

std::span<const NodeInputs> MachineFabric::inputs(Cycle cycle) {
  inputs_.resize(fabric_.nodes());
  for (std::size_t node = 0; node < inputs_.size(); ++node) {
    inputs_[node].ports.assign(ports_, PortInput{});
    inputs_[node].slots.clear();
    for (std::size_t s = 0; s < slots_; ++s) inputs_[node].slots.push_back(fabric_.pending_input(node * slots_ + s));
  }
  fabric_.for_each_arrival(cycle, [this](NodeIndex node, std::uint8_t port, const PortOutput& arrival) {
    PortInput& input = inputs_[node.value].ports[port];
    if (arrival.flit_valid) {
      input.flit_valid = true;
      input.flit = arrival.flit;
    }
    input.credits |= arrival.credits;
  });
  return inputs_;
}

const NodeOutputs& MachineFabric::outputs(NodeIndex node, Cycle cycle) const {
  if (outputs_after_ != steps_) {
    outputs_after_ = steps_;
    outputs_.resize(fabric_.nodes());
    for (std::uint32_t n = 0; n < outputs_.size(); ++n) {
      outputs_[n].ports.assign(ports_, PortOutput{});
      outputs_[n].slots.clear();
      for (std::size_t s = 0; s < slots_; ++s) outputs_[n].slots.push_back(fabric_.slot(n * slots_ + s).outputs());
      outputs_[n].busy = fabric_.slots_busy(NodeIndex{n});
    }
    fabric_.for_each_output(cycle, [this](NodeIndex from, std::uint8_t port, const PortOutput& shown) {
      PortOutput& output = outputs_[from.value].ports[port];
      if (shown.flit_valid) {
        output.flit_valid = true;
        output.flit = shown.flit;
      }
      output.credits |= shown.credits;
      outputs_[from.value].busy = true;
    });
  }
  return outputs_[node.value];
}

FabricFactory machine_fabric_factory(std::uint32_t parts) {
  return [parts](const MachineConfig& config, const Topology& topology) {
    const std::uint32_t count = std::clamp<std::uint32_t>(parts, 1, topology.nodes());
    std::vector<std::unique_ptr<tidings::Fabric>> fabrics;
    std::vector<MachineFabric*> all;
    for (std::uint32_t part = 0; part < count; ++part) {
      // Neighbours in the last dimension are farthest apart in number: parts are slices across it.
      const MachineFabric::Range range{
          .first = static_cast<std::uint32_t>(std::uint64_t{topology.nodes()} * part / count),
          .end = static_cast<std::uint32_t>(std::uint64_t{topology.nodes()} * (part + 1) / count)};
      auto fabric =
          std::make_unique<MachineFabric>(node_parameters(config), topology, config.link.latency_cycles, range);
      all.push_back(fabric.get());
      fabrics.push_back(std::move(fabric));
    }
    if (count > 1) {
      for (MachineFabric* part : all) part->join(all);
    }
    return fabrics;
  };
}

}  // namespace tidings::cycle
