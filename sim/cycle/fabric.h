// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file fabric.h
/// All routers of a machine, the links between them, and what hangs on their slot ports.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/in_flight.h"
#include "sim/cycle/node.h"
#include "sim/machine/node.h"
#include "sim/machine/node_set.h"
#include "sim/machine/topology.h"
#include "sim/machine/types.h"

namespace tidings::cycle {

/// Nodes from `first` to before `end`.
struct NodeRange {
  std::uint32_t first;
  std::uint32_t end;
};

/// All nodes in `count` parts, or one per node if they are fewer, whose sizes differ by one at most. Neighbours in the
/// last dimension are farthest apart in number: parts are slices across it.
[[nodiscard]] inline std::vector<NodeRange> slices(std::uint32_t nodes, std::uint32_t count) {
  count = std::clamp<std::uint32_t>(count, 1, nodes);
  const auto cut = [&](std::uint64_t part) { return static_cast<std::uint32_t>(nodes * part / count); };
  std::vector<NodeRange> parts;
  for (std::uint32_t part = 0; part < count; ++part) parts.push_back({.first = cut(part), .end = cut(part + 1)});
  return parts;
}

/// A machine's network, one clock cycle at a time: flits go from router to wire to router. Idle routers cost nothing.
///
/// `SlotTwin` is a slot, or an endpoint of synthetic traffic. It is movable and has
///   const PortOutput& port() const      what it shows to the router in this cycle;
///   bool busy() const                   a clock edge without inputs changes something;
///   void clock(const PortInput&, const SlotInput&)   one clock edge.
/// Its port uses the channels 0 to num_classes - 1; both sides begin with `slot_buffer_flits` credits a channel.
///
/// `Wires` carry what routers send: `InFlight`, or `ReliableWires` if there are bit errors.
///
/// A cycle is: fill `slot_input` or change slots and `wake` them, then `step`. Slots are numbered
/// node * slots of a router + slot.
template <typename SlotTwin, typename Wires = InFlight>
class Fabric {
 public:
  using SlotFactory = std::function<SlotTwin(NodeIndex, SlotId)>;

  /// @param latency in cycles, at least 1, of links that have none of their own: what leaves in cycle t arrives in
  /// cycle t + latency - 1.
  Fabric(const NodeParameters& parameters, const Topology& topology, std::uint32_t latency, const SlotFactory& make,
         Wires wires = Wires{})
      : Fabric(parameters, topology, latency, make, slices(topology.nodes(), 1), 0, std::move(wires)) {}
  /// A part of a machine, whose nodes are numbered from 0. What leaves it over links waits until the part where it
  /// arrives gets it by `accept`.
  /// @param parts of the machine, each behind the one before; one if links have latencies of their own.
  /// @param here the one that this is.
  Fabric(const NodeParameters& parameters, const Topology& topology, std::uint32_t latency, const SlotFactory& make,
         const std::vector<NodeRange>& parts, std::size_t here, Wires wires = Wires{})
      : slots_(topology.slots()),
        ports_(topology.ports()),
        channels_(parameters.num_classes * (parameters.dateline != 0 ? 2 : 1)),
        latency_(latency),
        wires_(std::move(wires)),
        leaving_(parts.size() > 1 ? parts.size() : 0),
        arriving_(leaving_.size()),
        inputs_(std::size_t{parts[here].end - parts[here].first} * topology.slots()),
        touched_(parts[here].end - parts[here].first),
        active_(parts[here].end - parts[here].first),
        link_flits_(std::size_t{parts[here].end - parts[here].first} * topology.ports()) {
    if (parts[here].first < topology.hosts()) {
      slot_count_ = std::size_t{std::min(parts[here].end, topology.hosts()) - parts[here].first} * slots_;
    }
    if (latency == 0) throw std::invalid_argument("link latency must be at least 1 cycle, not 0");
    const NodeRange range = parts[here];
    nodes_.reserve(range.end - range.first);
    for (std::uint32_t i = range.first; i < range.end; ++i) {
      const NodeIndex node{i};
      std::vector<SlotTwin> slots;
      slots.reserve(slots_);
      for (std::uint8_t s = 0; s < slots_ && i < topology.hosts(); ++s) slots.push_back(make(node, SlotId{s}));
      nodes_.emplace_back(parameters, topology.place(node), std::move(slots));
      bool starts_busy = nodes_.back().slots_active() != 0;
      // A router whose slots nobody uses has them in the RTL: they settle after reset like those of the first router.
      for (std::uint8_t s = 0; s < slots_ && i >= topology.hosts(); ++s) {
        starts_busy = starts_busy || make(NodeIndex{0}, SlotId{s}).busy();
      }
      if (starts_busy) active_.insert(NodeIndex{i - range.first});
      takes_other_wires_.push_back(false);
      for (std::uint8_t port = 0; port < ports_; ++port) {
        const std::optional<Topology::NetworkPort> link = topology.neighbour(node, PortId{port});
        links_.push_back(kNowhere);
        outside_.push_back({.part = kHere, .link = 0});
        if (!link) continue;
        if (const auto own = topology.latency(node, PortId{port}); own && *own != latency) {
          if (parts.size() > 1) throw std::invalid_argument("links of several latencies: a machine in parts has one");
          outside_.back() = {.part = kOtherLatency, .link = other_latency(*own)};
          takes_other_wires_.back() = true;
        }
        const auto part = static_cast<std::uint32_t>(
            std::ranges::find_if(parts, [&](const NodeRange& nodes) { return link->node.value < nodes.end; }) -
            parts.begin());
        const std::uint32_t far = link->node.value - parts[part].first;
        if (part == here) {
          links_.back() = {.node = far, .port = link->port.value};
        } else {
          outside_.back() = {.part = part, .link = far * ports_ + link->port.value};
          takes_other_wires_.back() = true;
        }
      }
    }
  }

  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }
  /// Slots of all routers.
  [[nodiscard]] std::size_t slots() const { return slot_count_; }
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
    const auto look = [&next](const InFlight& wires) {
      const std::optional<Cycle> other = wires.next();
      if (other && (!next || *other < *next)) next = other;
    };
    for (const InFlight& wires : arriving_) look(wires);
    for (const OtherLatency& other : other_latencies_) look(other.wires);
    return next;
  }

  /// What has left for part number `part`, with its link's number there; `accept` takes it.
  [[nodiscard]] InFlight& leaving(std::size_t part) { return leaving_[part]; }
  /// What has left part number `part` for this one, before any of it is due.
  void accept(std::size_t part, InFlight& sent) { arriving_[part].take_over(sent); }

  /// The clock edge that ends `cycle`; afterwards everything shows its outputs of the next cycle. Cycles without busy
  /// nodes, inputs and arrivals may be left out. Calls `clocked(slot)` for each slot that may have new outputs, in
  /// rising order.
  template <typename Clocked>
  void step(Cycle cycle, Clocked&& clocked) {
    wires_.reserve(links_.size(), channels_);
    for (InFlight& wires : leaving_) wires.reserve(links_.size(), channels_);
    RouterWithSlots<SlotTwin>* const nodes = nodes_.data();
    const End* const links = links_.data();
    const bool mixed = !leaving_.empty() || !other_latencies_.empty();
    if (mixed) arrive_by_other_wires(cycle);
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
    active_.for_each([&](NodeIndex index) __attribute__((always_inline)) {
      RouterWithSlots<SlotTwin>& node = nodes[index.value];
      const std::size_t first_slot = std::size_t{index.value} * slots_;
      std::uint32_t& touched = touched_[index.value];
      node.clock_slots(touched, &inputs_[first_slot], [&](unsigned s) { clocked(first_slot + s); });
      for (; touched != 0; touched &= touched - 1) {
        inputs_[first_slot + static_cast<unsigned>(std::countr_zero(touched))] = {};
      }
      const std::uint32_t first_link = index.value * ports_;
      const bool busy =
          mixed && takes_other_wires_[index.value] ? send_by_link(node, first_link) : send(node, first_link);
      if (!busy) active_.erase(index);
      ++node_evaluations_;
    });
    wires_.close(cycle + latency_);
    for (InFlight& wires : leaving_) wires.close(cycle + latency_);
    for (OtherLatency& other : other_latencies_) other.wires.close(cycle + other.latency);
  }
  void step(Cycle cycle) {
    step(cycle, [](std::size_t) {});
  }

  /// Calls `show(NodeIndex, port, PortOutput)` for what nodes show on links in `cycle`, the one after the last step:
  /// flits and credits each by themselves.
  template <typename Show>
  void for_each_output(Cycle cycle, Show&& show) const {
    const auto shown = [&](std::uint32_t link, const PortOutput& output) {
      show(NodeIndex{link / ports_}, static_cast<std::uint8_t>(link % ports_), output);
    };
    wires_.look_shown(cycle, latency_, shown);
    for (const OtherLatency& other : other_latencies_) other.wires.look_shown(cycle, other.latency, shown);
  }
  /// Calls `show(NodeIndex, port, PortOutput)` for what arrives at nodes in `cycle`, likewise, before its step.
  template <typename Show>
  void for_each_arrival(Cycle cycle, Show&& show) const {
    const auto arrives = [&](std::uint32_t link, const PortOutput& output) {
      const End to = links_[link];
      if (to.node != kNowhere.node) show(NodeIndex{to.node}, to.port, output);
    };
    wires_.look(cycle, arrives);
    for (const OtherLatency& other : other_latencies_) other.wires.look(cycle, arrives);
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
  /// Over the edge of a mesh: what leaves there is lost.
  static constexpr End kNowhere{.node = ~std::uint32_t{0}, .port = 0};
  /// Where a link out of the part leads.
  struct Outside {
    std::uint32_t part;
    std::uint32_t link;  ///< at its end there, by that part's numbers
  };
  static constexpr std::uint32_t kHere = ~std::uint32_t{0};
  /// The link is in the part, and number `link` of `other_latencies_` carries what is on it.
  static constexpr std::uint32_t kOtherLatency = kHere - 1;
  /// Links of another latency than most.
  struct OtherLatency {
    std::uint32_t latency;
    InFlight wires;
  };

  /// @return the place of a latency in `other_latencies_`.
  std::uint32_t other_latency(std::uint32_t latency) {
    const auto found = std::ranges::find(other_latencies_, latency, &OtherLatency::latency);
    const auto place = static_cast<std::uint32_t>(found - other_latencies_.begin());
    if (found == other_latencies_.end()) other_latencies_.push_back({.latency = latency, .wires = {}});
    return place;
  }

  /// Apart from `step`, in which most machines have all that the compiler should see at once.
  [[gnu::noinline]] void arrive_by_other_wires(Cycle cycle) {
    const auto flit = [this](std::uint32_t node, unsigned port, const Flit& arrival) {
      nodes_[node].receive(port, arrival);
      active_.insert(NodeIndex{node});
    };
    const auto credit = [this](std::uint32_t node, unsigned port, unsigned channel) {
      nodes_[node].credit(port, channel);
      active_.insert(NodeIndex{node});
    };
    for (InFlight& wires : arriving_) {
      wires.arrive(
          cycle, [&](std::uint32_t link, const Flit& arrival) { flit(link / ports_, link % ports_, arrival); },
          [&](std::uint32_t link, unsigned channel) { credit(link / ports_, link % ports_, channel); });
    }
    for (OtherLatency& other : other_latencies_) {
      other.wires.reserve(links_.size(), channels_);
      // Links to nowhere have the latency of most.
      other.wires.arrive(
          cycle, [&](std::uint32_t link, const Flit& arrival) { flit(links_[link].node, links_[link].port, arrival); },
          [&](std::uint32_t link, unsigned channel) { credit(links_[link].node, links_[link].port, channel); });
    }
  }

  /// What a node shows goes on the links. @return whether the node is busy.
  bool send(RouterWithSlots<SlotTwin>& node, std::uint32_t first_link) {
    return node.send(
        [&](unsigned port, const Flit& flit) {
          wires_.send(first_link + port, flit);
          ++link_flits_[first_link + port];
        },
        [&](unsigned port, unsigned channel) { wires_.send_credit(first_link + port, channel); });
  }
  /// The same if links lead out of the part, or have latencies of their own.
  [[gnu::noinline]] bool send_by_link(RouterWithSlots<SlotTwin>& node, std::uint32_t first_link) {
    return node.send(
        [&](unsigned port, const Flit& flit) {
          const std::uint32_t link = first_link + port;
          const Outside to = outside_[link];
          if (to.part == kHere) {
            wires_.send(link, flit);
          } else if (to.part == kOtherLatency) {
            other_latencies_[to.link].wires.send(link, flit);
          } else {
            leaving_[to.part].send(to.link, flit);
          }
          ++link_flits_[link];
        },
        [&](unsigned port, unsigned channel) {
          const std::uint32_t link = first_link + port;
          const Outside to = outside_[link];
          if (to.part == kHere) {
            wires_.send_credit(link, channel);
          } else if (to.part == kOtherLatency) {
            other_latencies_[to.link].wires.send_credit(link, channel);
          } else {
            leaving_[to.part].send_credit(to.link, channel);
          }
        });
  }

  std::uint32_t slots_;     ///< of one router
  std::uint32_t ports_;     ///< network ports of one router
  std::uint32_t channels_;  ///< of a link
  std::uint32_t latency_;
  std::size_t slot_count_ = 0;  ///< of all routers
  std::vector<RouterWithSlots<SlotTwin>> nodes_;
  std::vector<End> links_;                     ///< node * ports_ + port
  std::vector<Outside> outside_;               ///< likewise
  std::vector<bool> takes_other_wires_;        ///< nodes with links that `wires_` does not carry
  std::vector<OtherLatency> other_latencies_;  ///< empty if all links have the same latency
  Wires wires_;
  std::vector<InFlight> leaving_;       ///< for each other part: what has left for it; empty if there is one part
  std::vector<InFlight> arriving_;      ///< likewise: what comes from it; links are numbered at their end here
  std::vector<SlotInput> inputs_;       ///< a slot: what enters it in the next step
  std::vector<std::uint32_t> touched_;  ///< a node: slots with inputs, one bit each
  NodeSet active_;                      ///< nodes that are busy or have inputs
  std::vector<std::uint64_t> link_flits_;
  std::uint64_t node_evaluations_ = 0;
};

}  // namespace tidings::cycle
