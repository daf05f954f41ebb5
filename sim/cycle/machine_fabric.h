// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file machine_fabric.h
/// The fabric of machines whose nodes are all twins, or of a part of such a machine.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/cycle/fabric.h"
#include "sim/cycle/slot.h"
#include "sim/machine/fabric.h"

namespace tidings::cycle {

/// `Wires` as in cycle::Fabric.
template <typename Wires = InFlight>
class MachineFabric : public tidings::Fabric {
 public:
  /// @param parts and `here` as in cycle::Fabric.
  MachineFabric(const NodeParameters& parameters, const Topology& topology, std::uint32_t link_latency,
                const std::vector<NodeRange>& parts, std::size_t here, Wires wires = Wires{});

  /// Tell the parts of a machine of each other; all must live as long as any is used.
  void join(std::vector<MachineFabric*> parts) { parts_ = std::move(parts); }

  [[nodiscard]] SlotInput& slot_input(std::size_t slot) override { return fabric_.slot_input(slot); }
  [[nodiscard]] std::span<const NodeInputs> inputs(Cycle cycle) override;
  Stepped step(Cycle cycle) override;
  std::uint64_t step_steadily(Cycle first, std::uint64_t most, std::span<MemoryPort> memories) override;
  [[nodiscard]] bool busy() const override { return fabric_.busy(); }
  [[nodiscard]] std::optional<Cycle> next_arrival() const override { return fabric_.next_arrival(); }
  [[nodiscard]] const SlotOutput& slot_output(std::size_t slot) const override { return fabric_.slot(slot).outputs(); }
  [[nodiscard]] const NodeOutputs& outputs(NodeIndex node, Cycle cycle) const override;
  [[nodiscard]] std::size_t slots() const override { return fabric_.slots(); }
  void sort_out() override { fabric_.sort_out(); }
  void exchange() override;
  [[nodiscard]] bool settled() const override { return fabric_.settled(); }
  void swap_nodes(std::uint32_t first, tidings::Fabric& other, std::uint32_t others_first,
                  std::uint32_t count) override {
    fabric_.swap_nodes(first, dynamic_cast<MachineFabric&>(other).fabric_, others_first, count);
  }
  [[nodiscard]] std::uint64_t node_evaluations() const override { return fabric_.node_evaluations(); }
  [[nodiscard]] std::uint64_t flit_hops() const override { return fabric_.flit_hops(); }
  [[nodiscard]] std::uint64_t link_flits(NodeIndex node, PortId port) const override {
    return fabric_.link_flits(node, port);
  }
  [[nodiscard]] std::uint32_t nodes() const override { return fabric_.nodes(); }

 private:
  cycle::Fabric<Slot, Wires> fabric_;
  std::size_t here_;                   ///< the part that this is
  std::vector<MachineFabric*> parts_;  ///< all of the machine, this one too; empty if there is only one
  std::uint32_t slots_;                ///< of one router
  std::uint32_t ports_;
  std::vector<std::size_t> stepped_slots_;
  std::uint64_t steps_ = 0;
  std::vector<NodeInputs> inputs_;                      ///< made when they are asked for
  mutable std::vector<NodeOutputs> outputs_;            ///< likewise
  mutable std::optional<std::uint64_t> outputs_after_;  ///< the steps before they were made
};

/// Makes such fabrics. Links lose nothing if the machine says so, and then there is one part.
/// @param parts at most; at least 1. A machine of fewer routers has a part for each.
[[nodiscard]] FabricFactory machine_fabric_factory(std::uint32_t parts = 1);

}  // namespace tidings::cycle
