// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file fabric.h
/// All routers of a machine, the links between them, and what hangs on their slot ports.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/cycle/in_flight.h"
#include "sim/cycle/node.h"
#include "sim/machine/node.h"
#include "sim/machine/node_parameters.h"
#include "sim/machine/node_set.h"
#include "sim/machine/topology.h"
#include "sim/machine/types.h"

namespace tidings::cycle {

/// Nodes from `first` to before `end`.
struct NodeRange {
  std::uint32_t first;
  std::uint32_t end;
};

/// A machine's network, one clock cycle at a time: flits go from router to wire to router. Idle routers cost nothing.
///
/// `SlotTwin` is a slot, or an endpoint of synthetic traffic. It is movable and has
///   const PortOutput& port() const      what it shows to the router in this cycle;
///   bool busy() const                   a clock edge without inputs changes something;
///   void clock(const PortInput&, const SlotInput&)   one clock edge.
/// Its port uses the channels 0 to num_classes - 1; both sides begin with `slot_buffer_flits` credits a channel.
///
/// `Wires` carry what routers send: `InFlight`, or `ReliableWires` where there are bit errors.
///
/// A cycle is: fill `slot_input` or change slots and `wake` them, then `step`. Slots are numbered
/// node * slots of a router + slot.
template <typename SlotTwin, typename Wires = InFlight>
class Fabric {
 public:
  using SlotFactory = std::function<SlotTwin(NodeIndex, SlotId)>;

  /// @param latency of the links in cycles, at least 1: what leaves in cycle t arrives in cycle t + latency - 1.
  Fabric(const NodeParameters& parameters, const Topology& topology, std::uint32_t latency, const SlotFactory& make,
         Wires wires = Wires{})
      : Fabric(parameters, topology, latency, make, NodeRange{.first = 0, .end = topology.nodes()}, std::move(wires)) {}
  /// A part of a machine, whose nodes are numbered from 0. What leaves it over links is given to `hand_on`, and what
  /// comes in over links from other parts is given to `accept`.
  Fabric(const NodeParameters& parameters, const Topology& topology, std::uint32_t latency, const SlotFactory& make,
         NodeRange range, Wires wires = Wires{})
      : first_node_(range.first),
        slots_(topology.slots()),
        ports_(topology.ports()),
        channels_(parameters.num_classes * (parameters.dateline != 0 ? 2 : 1)),
        latency_(latency),
        wires_(std::move(wires)),
        inputs_(std::size_t{range.end - range.first} * topology.slots()),
        touched_(range.end - range.first),
        active_(range.end - range.first),
        link_flits_(std::size_t{range.end - range.first} * topology.ports()) {
    if (latency == 0) throw std::invalid_argument("link latency must be at least 1 cycle, not 0");
    nodes_.reserve(range.end - range.first);
    for (std::uint32_t i = range.first; i < range.end; ++i) {
      const NodeIndex node{i};
      std::vector<SlotTwin> slots;
      slots.reserve(slots_);
      for (std::uint8_t s = 0; s < slots_; ++s) slots.push_back(make(node, SlotId{s}));
      nodes_.emplace_back(parameters, topology.place(node), std::move(slots));
      if (nodes_.back().slots_active() != 0) active_.insert(NodeIndex{i - range.first});
      for (std::uint8_t port = 0; port < ports_; ++port) {
        const std::optional<Topology::Link> link = topology.neighbour(node, PortId{port});
        const bool here = link && link->node.value >= range.first && link->node.value < range.end;
        links_.push_back(here ? End{.node = link->node.value - range.first, .port = link->port.value} : kNowhere);
        outside_.push_back(link && !here ? End{.node = link->node.value, .port = link->port.value} : kNowhere);
      }
    }
  }

  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }
  /// Slots of all routers.
  [[nodiscard]] std::size_t slots() const { return inputs_.size(); }
  [[nodiscard]] SlotTwin& slot(std::size_t slot) { return nodes_[slot / slots_].slot(slot % slots_); }
  [[nodiscard]] const SlotTwin& slot(std::size_t slot) const { return nodes_[slot / slots_].slot(slot % slots_); }

  /// A slot has been changed from outside: it may be busy now.
  void wake(std::size_t slot) {
    RouterWithSlots<SlotTwin>& node = nodes_[slot / slots_];
    node.note(slot % slots_);
    if (node.slots_active() != 0) active_.insert(NodeIndex{static_cast<std::uint32_t>(slot / slots_)});
  }
  /// What enters a slot in the next step from outside; empty again after it.
  [[nodiscard]] SlotInput& slot_input(std::size_t slot) {
    const NodeIndex node{static_cast<std::uint32_t>(slot / slots_)};
    touched_[node.value] |= std::uint32_t{1} << slot % slots_;
    active_.insert(node);
    return inputs_[slot];
  }
  /// What has been put there so far.
  [[nodiscard]] const SlotInput& pending_input(std::size_t slot) const { return inputs_[slot]; }

  /// A step changes something even if nothing arrives.
  [[nodiscard]] bool busy() const { return !active_.empty(); }
  /// The same, of one node.
  [[nodiscard]] bool busy(NodeIndex node) const { return nodes_[node.value].busy(); }
  /// The next cycle in which anything arrives over a link.
  [[nodiscard]] std::optional<Cycle> next_arrival() const {
    std::optional<Cycle> next = wires_.next();
    for (const InFlight& wires : from_parts_) {
      const std::optional<Cycle> other = wires.next();
      if (other && (!next || *other < *next)) next = other;
    }
    return next;
  }

  /// Calls `flit(cycle, node, port, Flit)` and `credit(cycle, node, port, channel)` for what has left the part since
  /// the last time, with the cycle of its arrival and the machine's number of the node there, in order of cycles. To be
  /// called before any of it arrives.
  template <typename FlitSink, typename CreditSink>
  void hand_on(FlitSink&& flit, CreditSink&& credit) {
    wires_.copy(
        [&](Cycle cycle, std::uint32_t link, const Flit& leaving) {
          const End to = outside_[link];
          if (to.node != kNowhere.node) flit(cycle, NodeIndex{to.node}, to.port, leaving);
        },
        [&](Cycle cycle, std::uint32_t link, unsigned channel) {
          const End to = outside_[link];
          if (to.node != kNowhere.node) credit(cycle, NodeIndex{to.node}, to.port, channel);
        });
  }
  /// A flit or a credit comes from part number `part` and arrives in `cycle`: those of a part in order of cycles.
  void accept(std::size_t part, Cycle cycle, NodeIndex node, std::uint8_t port, const Flit& flit) {
    wires_from(part, cycle).send((node.value - first_node_) * ports_ + port, flit);
  }
  void accept_credit(std::size_t part, Cycle cycle, NodeIndex node, std::uint8_t port, unsigned channel) {
    wires_from(part, cycle).send_credit((node.value - first_node_) * ports_ + port, channel);
  }
  /// All of what was accepted for `part`'s last cycle has been.
  void close(std::size_t part) {
    if (part < from_parts_.size()) from_parts_[part].close(last_from_[part]);
  }

  /// The clock edge that ends `cycle`; afterwards everything shows its outputs of the next cycle. Cycles without busy
  /// nodes, inputs and arrivals may be left out. Calls `clocked(slot)` for each slot that may have new outputs, in
  /// rising order.
  template <typename Clocked>
  void step(Cycle cycle, Clocked&& clocked) {
    wires_.reserve(links_.size(), channels_);
    RouterWithSlots<SlotTwin>* const nodes = nodes_.data();
    const End* const links = links_.data();
    for (InFlight& wires : from_parts_) {
      wires.arrive(
          cycle,
          [this, nodes](std::uint32_t link, const Flit& flit) {
            nodes[link / ports_].receive(link % ports_, flit);
            active_.insert(NodeIndex{link / ports_});
          },
          [this, nodes](std::uint32_t link, unsigned channel) {
            nodes[link / ports_].credit(link % ports_, channel);
            active_.insert(NodeIndex{link / ports_});
          });
    }
    wires_.arrive(
        cycle,
        [this, nodes, links](std::uint32_t link, const Flit& flit) {
          const End to = links[link];
          if (to.node == kNowhere.node) return;
          nodes[to.node].receive(to.port, flit);
          active_.insert(NodeIndex{to.node});
        },
        [this, nodes, links](std::uint32_t link, unsigned channel) {
          const End to = links[link];
          if (to.node == kNowhere.node) return;
          nodes[to.node].credit(to.port, channel);
          active_.insert(NodeIndex{to.node});
        });
    active_.for_each([&](NodeIndex index) {
      RouterWithSlots<SlotTwin>& node = nodes[index.value];
      const std::size_t first_slot = std::size_t{index.value} * slots_;
      std::uint32_t& touched = touched_[index.value];
      node.clock_slots(touched, &inputs_[first_slot], [&](unsigned s) { clocked(first_slot + s); });
      for (; touched != 0; touched &= touched - 1) {
        inputs_[first_slot + static_cast<unsigned>(std::countr_zero(touched))] = {};
      }
      const std::uint32_t first_link = index.value * ports_;
      const bool busy = node.send(
          [&](unsigned port, const Flit& flit) {
            wires_.send(first_link + port, flit);
            ++link_flits_[first_link + port];
          },
          [&](unsigned port, unsigned channel) { wires_.send_credit(first_link + port, channel); });
      if (!busy) active_.erase(index);
      ++node_evaluations_;
    });
    wires_.close(cycle + latency_);
  }
  void step(Cycle cycle) {
    step(cycle, [](std::size_t) {});
  }

  /// Calls `show(NodeIndex, port, PortOutput)` for what nodes show on links in `cycle`, the one after the last step:
  /// flits and credits each by themselves.
  template <typename Show>
  void for_each_output(Cycle cycle, Show&& show) const {
    wires_.look_shown(cycle, latency_, [&](std::uint32_t link, const PortOutput& output) {
      show(NodeIndex{link / ports_}, static_cast<std::uint8_t>(link % ports_), output);
    });
  }
  /// Calls `show(NodeIndex, port, PortOutput)` for what arrives at nodes in `cycle`, likewise, before its step.
  template <typename Show>
  void for_each_arrival(Cycle cycle, Show&& show) const {
    wires_.look(cycle, [&](std::uint32_t link, const PortOutput& output) {
      const End to = links_[link];
      if (to.node != kNowhere.node) show(NodeIndex{to.node}, to.port, output);
    });
  }

  [[nodiscard]] const Wires& wires() const { return wires_; }
  [[nodiscard]] std::uint64_t node_evaluations() const { return node_evaluations_; }
  /// Flits that have left through a network port.
  [[nodiscard]] std::uint64_t link_flits(NodeIndex node, PortId port) const {
    return link_flits_[std::size_t{node.value} * ports_ + port.value];
  }
  /// Of all ports.
  [[nodiscard]] std::uint64_t flit_hops() const {
    return std::accumulate(link_flits_.begin(), link_flits_.end(), std::uint64_t{0});
  }

 private:
  /// Where a link leads.
  struct End {
    std::uint32_t node;
    std::uint8_t port;
  };
  /// Over the edge of a mesh: what leaves there is lost. Or out of the part: then it is handed on.
  static constexpr End kNowhere{.node = ~std::uint32_t{0}, .port = 0};

  /// Where to put what another part sends for `cycle`.
  InFlight& wires_from(std::size_t part, Cycle cycle) {
    if (part >= from_parts_.size()) {
      from_parts_.resize(part + 1);
      last_from_.resize(part + 1);
    }
    if (last_from_[part] != cycle) {
      from_parts_[part].close(last_from_[part]);
      last_from_[part] = cycle;
    }
    from_parts_[part].reserve(1, 1);
    return from_parts_[part];
  }

  std::uint32_t first_node_;
  std::uint32_t slots_;     ///< of one router
  std::uint32_t ports_;     ///< network ports of one router
  std::uint32_t channels_;  ///< of a link
  std::uint32_t latency_;
  std::vector<RouterWithSlots<SlotTwin>> nodes_;
  std::vector<End> links_;    ///< node * ports_ + port
  std::vector<End> outside_;  ///< likewise: where links out of the part lead, by the machine's numbers
  Wires wires_;
  std::vector<InFlight> from_parts_;    ///< what comes from other parts; links are numbered at their end here
  std::vector<Cycle> last_from_;        ///< likewise: the arrival that is being filled
  std::vector<SlotInput> inputs_;       ///< a slot: what enters it in the next step
  std::vector<std::uint32_t> touched_;  ///< a node: slots with inputs, one bit each
  NodeSet active_;                      ///< nodes that are busy or have inputs
  std::vector<std::uint64_t> link_flits_;
  std::uint64_t node_evaluations_ = 0;
};

}  // namespace tidings::cycle
