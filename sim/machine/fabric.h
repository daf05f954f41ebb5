// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file fabric.h
/// All nodes of a machine and the links between them, one clock cycle at a time.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/machine/machine_config.h"
#include "sim/machine/memory_port.h"
#include "sim/machine/node.h"
#include "sim/machine/topology.h"
#include "sim/machine/types.h"

namespace tidings {

/// Or the nodes of a part of it, numbered from 0. Slots are numbered node * slots of a router + slot; nodes without
/// slots come last.
///
/// A cycle is: `slot_input` for what comes from buses and memories, then `step`; afterwards everything shows its
/// outputs of the next cycle. Cycles in which nothing is busy and nothing comes in may be left out.
class Fabric {
 public:
  Fabric() = default;
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;
  virtual ~Fabric() = default;

  /// What enters a slot in the cycle that is stepped next; empty until it is asked for.
  [[nodiscard]] virtual SlotInput& slot_input(std::size_t slot) = 0;
  /// What enters each node in `cycle`, which is stepped next: for observers, and only when all of it is there.
  [[nodiscard]] virtual std::span<const NodeInputs> inputs(Cycle cycle) = 0;
  /// What a step leaves behind.
  struct Stepped {
    /// Slots whose outputs may differ from those before, or show an event, in rising order. Valid until the next step.
    std::span<const std::size_t> slots;
    bool busy;           ///< as `busy`
    bool may_be_steady;  ///< false: `step_steadily` from the next cycle on would return 0
  };
  /// The clock edge that ends `cycle`.
  virtual Stepped step(Cycle cycle) = 0;

  /// As many cycles from `first` on at once as all are alike, if they have no inputs but what memories answer: in each
  /// the same packets move by one word in the same places, and nothing else happens. No output changes but flits,
  /// credits, and reads and writes of memory, which are done.
  /// @param memories of all slots, with what they answer from `first` on. @return how many cycles have been stepped, at
  /// most `most`; 0 is always right.
  virtual std::uint64_t step_steadily(Cycle /*first*/, std::uint64_t /*most*/, std::span<MemoryPort> /*memories*/) {
    return 0;
  }

  /// A step changes something even if nothing comes in.
  [[nodiscard]] virtual bool busy() const = 0;
  /// The next cycle in which anything arrives over a link.
  [[nodiscard]] virtual std::optional<Cycle> next_arrival() const = 0;

  /// Always the same object for a slot.
  [[nodiscard]] virtual const SlotOutput& slot_output(std::size_t slot) const = 0;
  /// What a node shows in `cycle`, the one after the last step. Valid until the next step.
  [[nodiscard]] virtual const NodeOutputs& outputs(NodeIndex node, Cycle cycle) const = 0;

  [[nodiscard]] virtual std::size_t slots() const = 0;
  /// Make what has left for other parts ready for their `exchange`, after the last step before it.
  virtual void sort_out() {}
  /// Take what has left other parts over links for this one. No part may be at work.
  virtual void exchange() {}

  /// Nothing is busy or on its way, and no buffer of a router holds a word: nodes may be swapped.
  [[nodiscard]] virtual bool settled() const { return false; }
  /// Swap the states of as many nodes from `first` on with those of another fabric of the same machine, where they are
  /// numbered from `others_first` on. Both are settled, or have never stepped. Of counts, those of links go with the
  /// nodes.
  virtual void swap_nodes(std::uint32_t /*first*/, Fabric& /*other*/, std::uint32_t /*others_first*/,
                          std::uint32_t /*count*/) {}

  [[nodiscard]] virtual std::uint64_t node_evaluations() const = 0;
  /// Flits that have entered a link.
  [[nodiscard]] virtual std::uint64_t flit_hops() const = 0;
  /// Of these, the ones through a network port of a node.
  [[nodiscard]] virtual std::uint64_t link_flits(NodeIndex node, PortId port) const = 0;
  [[nodiscard]] virtual std::uint32_t nodes() const = 0;
};

/// Makes the fabric of a machine, in one or more parts: each begins with the node behind the last one of the part
/// before. What leaves a part arrives in another one no earlier than a link's latency later, so that parts can be that
/// far apart in time before they must exchange.
using FabricFactory = std::function<std::vector<std::unique_ptr<Fabric>>(const MachineConfig&, const Topology&)>;

}  // namespace tidings
