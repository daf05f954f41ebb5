// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/machine_fabric.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/cycle/reliable_links.h"
#include "sim/machine/thread_team.h"

namespace tidings::cycle {

template <typename Wires>
MachineFabric<Wires>::MachineFabric(const NodeParameters& parameters, const Topology& topology,
                                    std::uint32_t link_latency, const std::vector<NodeRange>& parts, std::size_t here,
                                    Wires wires)
    : fabric_(
          parameters, topology, link_latency,
          [&](NodeIndex node, unsigned slot) {
            const Endpoint address = slot_address(topology.id(node), slot);
            return Slot(slot_parameters(parameters, slot), address.node, address.slot);
          },
          parts, here, std::move(wires)),
      here_(here),
      slots_(topology.slots()),
      ports_(topology.ports()) {}

template <typename Wires>
tidings::Fabric::Stepped MachineFabric<Wires>::step(Cycle cycle) {
  stepped_slots_.clear();
  fabric_.step(cycle, [this](std::size_t slot) { stepped_slots_.push_back(slot); });
  ++steps_;
  bool may_be_steady = false;
  if constexpr (std::is_same_v<Wires, InFlight>) may_be_steady = fabric_.may_be_steady(cycle + 1);
  return {.slots = stepped_slots_, .busy = fabric_.busy(), .may_be_steady = may_be_steady};
}

template <typename Wires>
std::uint64_t MachineFabric<Wires>::step_steadily([[maybe_unused]] Cycle first, [[maybe_unused]] std::uint64_t most,
                                                  [[maybe_unused]] std::span<MemoryPort> memories) {
  if constexpr (std::is_same_v<Wires, InFlight>) return fabric_.step_steadily(first, most, memories);
  return 0;
}

template <typename Wires>
void MachineFabric<Wires>::exchange() {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (part == here_) continue;
    fabric_.accept(part, parts_[part]->fabric_.leaving(here_));
    fabric_.accept_sideband(parts_[part]->fabric_.leaving_sideband(here_));
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
  fabric_.for_each_sideband_arrival(
      cycle, [this](NodeIndex node, std::uint8_t port, std::uint8_t tokens, const SideLink& link) {
        inputs_[node.value].ports[port].tokens |= tokens;
        if (link != SideLink{}) inputs_[node.value].ports[port].link = link;
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
      for (std::size_t s = 0; s < slots_; ++s) {
        const std::size_t slot = n * slots_ + s;
        outputs_[n].slots.push_back(slot < fabric_.slots() ? fabric_.slot(slot).outputs() : SlotOutput{});
      }
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
    fabric_.for_each_sideband_output(
        [this](NodeIndex from, std::uint8_t port, std::uint8_t tokens, const SideLink& link) {
          outputs_[from.value].ports[port].tokens = tokens;
          outputs_[from.value].ports[port].link = link;
        });
  }
  return outputs_[node.value];
}

template class MachineFabric<InFlight>;
template class MachineFabric<ReliableChannels>;

FabricFactory machine_fabric_factory(std::uint32_t parts) {
  return [parts](const MachineConfig& config, const Topology& topology) {
    const NodeParameters parameters = node_parameters(config);
    const std::uint32_t latency = config.link.latency_cycles;
    std::vector<std::unique_ptr<tidings::Fabric>> fabrics;
    if (config.link.reliable && topology.ports() != 0) {
      const RouterPlan plan(parameters, topology.place(NodeIndex{0}));
      fabrics.push_back(std::make_unique<MachineFabric<ReliableChannels>>(
          parameters, topology, latency, slices(topology.nodes(), 1), 0,
          ReliableChannels(reliable_wires(config, topology), plan, topology.ports())));
      return fabrics;
    }
    const std::vector<NodeRange> ranges = slices(topology.nodes(), has_equal_links(config) ? parts : 1);
    std::vector<std::unique_ptr<MachineFabric<>>> all(ranges.size());
    // Each in memory of its own: threads that write to the same cache lines would wait for each other.
    ThreadTeam(static_cast<unsigned>(ranges.size())).run_apart([&](unsigned part) {
      all[part] = std::make_unique<MachineFabric<>>(parameters, topology, latency, ranges, part);
    });
    std::vector<MachineFabric<>*> parts_of_machine;
    for (const auto& part : all) parts_of_machine.push_back(part.get());
    for (auto& part : all) {
      part->join(parts_of_machine);
      fabrics.push_back(std::move(part));
    }
    return fabrics;
  };
}

}  // namespace tidings::cycle
