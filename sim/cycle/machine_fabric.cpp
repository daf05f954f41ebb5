// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/machine_fabric.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/cycle/reliable_wires.h"

namespace tidings::cycle {

template <typename Wires>
MachineFabric<Wires>::MachineFabric(const NodeParameters& parameters, const Topology& topology,
                                    std::uint32_t link_latency, NodeRange range, Wires wires)
    : fabric_(
          parameters, topology, link_latency,
          [&](NodeIndex node, SlotId slot) { return Slot(slot_parameters(parameters, slot), topology.id(node), slot); },
          range, std::move(wires)),
      range_(range),
      slots_(topology.slots()),
      ports_(topology.ports()) {}

template <typename Wires>
void MachineFabric<Wires>::step(Cycle cycle) {
  stepped_slots_.clear();
  fabric_.step(cycle, [this](std::size_t slot) { stepped_slots_.push_back(slot); });
  ++steps_;
}

template <typename Wires>
void MachineFabric<Wires>::exchange() {
  // Links with bit errors are not cut.
  if constexpr (std::is_same_v<Wires, InFlight>) {
    const auto part_of = [this](NodeIndex node) -> MachineFabric& {
      return **std::ranges::find_if(parts_,
                                    [node](const MachineFabric* part) { return node.value < part->range_.end; });
    };
    const auto here = static_cast<std::size_t>(std::ranges::find(parts_, this) - parts_.begin());
    fabric_.hand_on([&](Cycle cycle, NodeIndex node, std::uint8_t port,
                        const Flit& flit) { part_of(node).fabric_.accept(here, cycle, node, port, flit); },
                    [&](Cycle cycle, NodeIndex node, std::uint8_t port, unsigned channel) {
                      part_of(node).fabric_.accept_credit(here, cycle, node, port, channel);
                    });
    for (MachineFabric* part : parts_) part->fabric_.close(here);
  }
}

template <typename Wires>
std::span<const NodeInputs> MachineFabric<Wires>::inputs(Cycle cycle) {
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

template <typename Wires>
const NodeOutputs& MachineFabric<Wires>::outputs(NodeIndex node, Cycle cycle) const {
  if (outputs_after_ != steps_) {
    outputs_after_ = steps_;
    outputs_.resize(fabric_.nodes());
    for (std::uint32_t n = 0; n < outputs_.size(); ++n) {
      outputs_[n].ports.assign(ports_, PortOutput{});
      outputs_[n].slots.clear();
      for (std::size_t s = 0; s < slots_; ++s) outputs_[n].slots.push_back(fabric_.slot(n * slots_ + s).outputs());
      outputs_[n].busy = fabric_.busy(NodeIndex{n});
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

namespace {

/// A router and the direction of one of its ports, for messages.
std::string name_of_end(const Topology& topology, std::uint32_t end) {
  const NodeIndex node{end / topology.ports()};
  const std::uint32_t port = end % topology.ports();
  std::string text = "router " + std::to_string(node.value) + " (";
  for (const std::uint16_t coordinate : topology.coordinates(node)) {
    if (text.back() != '(') text += ", ";
    text += std::to_string(coordinate);
  }
  return text + "), port " + std::to_string(port) + " (dimension " + std::to_string(port / 2) +
         (port % 2 == 0 ? ", +)" : ", -)");
}

ReliableWires reliable_wires(const MachineConfig& config, const Topology& topology) {
  const NodeParameters parameters = node_parameters(config);
  std::vector<std::uint32_t> peers;
  for (std::uint32_t node = 0; node < topology.nodes(); ++node) {
    for (std::uint8_t port = 0; port < topology.ports(); ++port) {
      const std::optional<Topology::Link> link = topology.neighbour(NodeIndex{node}, PortId{port});
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

}  // namespace

template class MachineFabric<InFlight>;
template class MachineFabric<ReliableWires>;

FabricFactory machine_fabric_factory(std::uint32_t parts) {
  return [parts](const MachineConfig& config, const Topology& topology) {
    const NodeParameters parameters = node_parameters(config);
    const std::uint32_t latency = config.link.latency_cycles;
    std::vector<std::unique_ptr<tidings::Fabric>> fabrics;
    if (config.link.reliable && topology.ports() != 0) {
      fabrics.push_back(std::make_unique<MachineFabric<ReliableWires>>(parameters, topology, latency,
                                                                       NodeRange{.first = 0, .end = topology.nodes()},
                                                                       reliable_wires(config, topology)));
      return fabrics;
    }
    const std::uint32_t count = std::clamp<std::uint32_t>(parts, 1, topology.nodes());
    std::vector<MachineFabric<>*> all;
    for (std::uint32_t part = 0; part < count; ++part) {
      // Neighbours in the last dimension are farthest apart in number: parts are slices across it.
      const NodeRange range{.first = static_cast<std::uint32_t>(std::uint64_t{topology.nodes()} * part / count),
                            .end = static_cast<std::uint32_t>(std::uint64_t{topology.nodes()} * (part + 1) / count)};
      auto fabric = std::make_unique<MachineFabric<>>(parameters, topology, latency, range);
      all.push_back(fabric.get());
      fabrics.push_back(std::move(fabric));
    }
    if (count > 1) {
      for (MachineFabric<>* part : all) part->join(all);
    }
    return fabrics;
  };
}

}  // namespace tidings::cycle
