// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file fabric.h
/// All routers of a machine, the links between them, and what hangs on their slot ports.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/in_flight.h"
#include "sim/cycle/node.h"
#include "sim/cycle/steady_cycles.h"
#include "sim/machine/index_set.h"
#include "sim/machine/node.h"
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
/// Its port uses the channels 0 to num_classes - 1; both sides begin with `slot_buffer_flits` credits per channel.
///
/// `Wires` carry what routers send: `InFlight`, or `ReliableWires` if there are bit errors.
///
/// A cycle is: fill `slot_input` or change slots and `wake` them, then `step`. Slots are numbered
/// node * slots of a router + slot.
template <typename SlotTwin, typename Wires = InFlight>
class Fabric {
 public:
  /// What is on its way to a node beside flits and credits.
  struct Sideband {
    Cycle cycle;  ///< in which it arrives
    std::uint32_t node;
    std::uint32_t port;
    std::uint8_t tokens;  ///< of barriers, one bit per group
    SideLink link;        ///< from the static switch, and the router of the network of `stream`
  };
  /// Makes a slot of a router, by its number among all of them.
  using SlotFactory = std::function<SlotTwin(NodeIndex, unsigned)>;

  /// @param latency in cycles, at least 1, of links that have none of their own: what leaves in cycle t arrives in
  /// cycle t + latency - 1.
  Fabric(const NodeParameters& parameters, const Topology& topology, std::uint32_t latency, const SlotFactory& make,
         Wires wires = Wires{})
      : Fabric(parameters, topology, latency, make, slices(topology.nodes(), 1), 0, std::move(wires)) {}
  /// A part of a machine, whose nodes are numbered from 0. What leaves it over links waits until the part where it
  /// arrives gets it by `accept`, after `sort_out`.
  /// @param parts of the machine, each behind the one before; one if links have latencies of their own.
  /// @param here the one that this is.
  Fabric(const NodeParameters& parameters, const Topology& topology, std::uint32_t latency, const SlotFactory& make,
         const std::vector<NodeRange>& parts, std::size_t here, Wires wires = Wires{})
      : slots_(topology.slots()),
        ports_(topology.ports()),
        latency_(latency),
        nodes_(parameters, places(topology, parts[here]), slots_of(topology, parts[here], make)),
        plan_(&nodes_.routers().plan()),
        wires_(std::move(wires)),
        leaving_(parts.size() > 1 ? parts.size() : 0),
        arriving_(leaving_.size()),
        inputs_(std::size_t{parts[here].end - parts[here].first} * topology.slots()),
        touched_(parts[here].end - parts[here].first),
        inputs_of_(parts[here].end - parts[here].first),
        far_ends_(std::size_t{parts[here].end - parts[here].first} << plan_->node_shift, kNowhere),
        link_flits_(far_ends_.size() >> plan_->numbers.vc_shift),
        steady_(*plan_, nodes()),
        has_sideband_(parameters.barrier_slots != 0 || parameters.alltoall_slots != 0 ||
                      parameters.stream_own_network != 0),
        sideband_ways_(has_sideband_ ? std::size_t{nodes()} * ports_ : 0),
        leaving_sideband_(leaving_.size()) {
    if (latency == 0) throw std::invalid_argument("link latency must be at least 1 cycle, not 0");
    const NodeRange range = parts[here];
    for (std::uint32_t i = range.first; i < range.end; ++i) {
      const NodeIndex node{i};
      // A router whose slots nobody uses has them in the RTL: they settle after reset like those of the first router.
      for (unsigned s = 0; s < slots_ && i >= topology.hosts(); ++s) {
        if (make(NodeIndex{0}, s).busy()) nodes_.routers().activate(plan_->first_channel(i - range.first));
      }
      for (std::uint8_t port = 0; port < ports_; ++port) {
        const std::optional<Topology::NetworkPort> link = topology.neighbour(node, PortId{port});
        if (!link) continue;
        const auto part = static_cast<std::uint32_t>(
            std::ranges::find_if(parts, [&](const NodeRange& nodes) { return link->node.value < nodes.end; }) -
            parts.begin());
        std::uint32_t by = kHere;
        if (const auto own = topology.latency(node, PortId{port}); own && *own != latency) {
          if (parts.size() > 1) throw std::invalid_argument("links of several latencies: a machine in parts has one");
          by = kOtherLatency + other_latency(*own);
        }
        if (by != kHere && carriers_.empty()) carriers_.resize(link_flits_.size(), kHere);
        if (part != here && exits_.empty()) exits_.resize(far_ends_.size());
        for (unsigned vc = 0; vc < plan_->numbers.network_vcs; ++vc) {
          const std::uint32_t channel = nodes_.routers().channel(i - range.first, port, vc);
          const std::uint32_t end =
              nodes_.routers().channel(link->node.value - parts[part].first, link->port.value, vc);
          if (part == here) {
            far_ends_[channel] = end;
          } else {
            exits_[channel] = {.part = part, .channel = end};
          }
          if (by != kHere) carriers_[channel >> plan_->numbers.vc_shift] = by;
        }
        if (has_sideband_) {
          sideband_ways_[std::size_t{i - range.first} * ports_ + port] = {
              .part = part == here ? kHere : part,
              .node = link->node.value - parts[part].first,
              .port = link->port.value,
              .tokens = Topology::carries_tokens(node, PortId{port}, link->node)};
        }
      }
    }
  }

  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(inputs_of_.size()); }
  /// Slots of all routers.
  [[nodiscard]] std::size_t slots() const { return nodes_.slots(); }
  [[nodiscard]] SlotTwin& slot(std::size_t slot) { return nodes_.slot(slot); }
  [[nodiscard]] const SlotTwin& slot(std::size_t slot) const { return nodes_.slot(slot); }

  /// A slot has been changed from outside: it may be busy now.
  void wake(std::size_t slot) { nodes_.note(slot); }
  /// What enters a slot in the next step from outside; empty again after it.
  [[nodiscard]] SlotInput& slot_input(std::size_t slot) {
    const NodeIndex node{static_cast<std::uint32_t>(slot / slots_)};
    inputs_of_[node.value] |= std::uint64_t{1} << slot % slots_;
    touched_.insert(node);
    return inputs_[slot];
  }
  /// What has been put there so far.
  [[nodiscard]] const SlotInput& pending_input(std::size_t slot) const { return inputs_[slot]; }

  /// A step changes something even if nothing arrives.
  [[nodiscard]] bool busy() const { return nodes_.busy() || !touched_.empty(); }
  /// The same, of one node without inputs from outside.
  [[nodiscard]] bool busy(NodeIndex node) const { return nodes_.busy(node.value); }
  /// The next cycle in which anything arrives over a link.
  [[nodiscard]] std::optional<Cycle> next_arrival() const {
    std::optional<Cycle> next = wires_.next();
    const auto look = [&next](std::optional<Cycle> other) {
      if (other && (!next || *other < *next)) next = other;
    };
    look(next_from_parts_);
    for (const OtherLatency& other : other_latencies_) look(other.wires.next());
    if (!sideband_.empty()) look(sideband_.front().cycle);
    return next;
  }

  /// Before parts exchange what has left them, and no later than a link's latency after the last time: put it where
  /// `leaving` finds it.
  void sort_out() {
    if constexpr (kHasParts) {
      if (exits_.empty() || !wires_.has_new()) return;
      for (InFlight& leaving : leaving_) leaving.reserve_new(wires_);
      // What stays here is most of it.
      wires_.look_new(
          [this, to = far_ends_.data()](Cycle cycle, std::uint32_t channel, const BufferedWord& word) {
            if (to[channel] == kNowhere)
              leave_for(channel, [&](InFlight& leaving, std::uint32_t end) { leaving.send_for(cycle, end, word); });
          },
          [this, to = far_ends_.data()](Cycle cycle, std::uint32_t channel) {
            if (to[channel] == kNowhere)
              leave_for(channel, [&](InFlight& leaving, std::uint32_t end) { leaving.send_credit_for(cycle, end); });
          });
    }
  }
  /// What has left for part number `part`, with its channel's number there; `accept` takes it.
  [[nodiscard]] InFlight& leaving(std::size_t part) { return leaving_[part]; }
  /// What has left part number `part` for this one, before any of it is due.
  void accept(std::size_t part, InFlight& sent) {
    if (sent.empty()) return;
    arriving_[part].take_over(sent);
    next_from_parts_ = next_from_parts();
  }

  /// The same of tokens of barriers and of words of static switches, which `accept_sideband` takes.
  [[nodiscard]] std::vector<Sideband>& leaving_sideband(std::size_t part) { return leaving_sideband_[part]; }
  void accept_sideband(std::vector<Sideband>& sent) {
    if (sent.empty()) return;
    sideband_.insert(sideband_.end(), sent.begin(), sent.end());
    sent.clear();
    std::ranges::stable_sort(sideband_, {}, &Sideband::cycle);
  }

  /// What tidings::Fabric says of both.
  [[nodiscard]] bool settled() const {
    return !busy() && !next_arrival() && sideband_.empty() && !nodes_.routers().holds_words();
  }
  void swap_nodes(std::uint32_t first, Fabric& other, std::uint32_t others_first, std::uint32_t count) {
    nodes_.swap(first, other.nodes_, others_first, count);
    const std::uint32_t links = std::uint32_t{1} << (plan_->node_shift - plan_->numbers.vc_shift);
    std::swap_ranges(&link_flits_[first * links], &link_flits_[first * links] + count * links,
                     &other.link_flits_[others_first * links]);
  }

  /// The clock edge that ends `cycle`; afterwards everything shows its outputs of the next cycle. Cycles without busy
  /// nodes, inputs and arrivals may be left out. Calls `clocked(slot)` for each slot that may have new outputs, in
  /// rising order.
  template <typename Clocked>
  [[gnu::always_inline]] void step(Cycle cycle, Clocked&& clocked) {
    nodes_.begin_cycle();
    if (has_sideband_) arrive_sideband(cycle);
    // Slots.
    for (std::size_t word = 0; word < touched_.words(); ++word) {
      const std::uint64_t touched = std::exchange(touched_.word(word), 0);
      for (std::uint64_t rest = touched | nodes_.clocking().word(word); rest != 0; rest &= rest - 1) {
        const auto node =
            static_cast<std::uint32_t>(word * NodeSet::kBits) + static_cast<std::uint32_t>(std::countr_zero(rest));
        SlotInput* const inputs = &inputs_[std::size_t{node} * slots_];
        nodes_.clock_slots(node, inputs_of_[node], inputs, clocked);
        if (has_sideband_) send_sideband(node, cycle);
        for (std::uint64_t left = std::exchange(inputs_of_[node], 0); left != 0; left &= left - 1) {
          inputs[std::countr_zero(left)] = {};
        }
      }
    }
    // What comes in over links, which slots have in the next cycle.
    if (!carriers_.empty() || next_from_parts_ == cycle) arrive_by_other_wires(cycle);
    if (wires_.due(cycle)) {
      Routers::Arrivals arrivals(nodes_.routers());
      wires_.arrive(
          cycle,
          [this, &arrivals, to = far_ends_.data()](std::uint32_t channel, const BufferedWord& word) {
            if (to[channel] != kNowhere) nodes_.receive(arrivals, to[channel], word);
          },
          [&arrivals, to = far_ends_.data()](std::uint32_t channel) {
            if (to[channel] != kNowhere) arrivals.credit(to[channel]);
          });
    }
    // What leaves.
    const std::size_t flits = std::size_t{nodes()} * ports_;
    wires_.reserve(flits, flits * plan_->numbers.network_vcs);
    if (carriers_.empty()) {
      typename Wires::Sender sender(wires_);
      node_evaluations_ += nodes_.send(
          [&, vc_shift = plan_->numbers.vc_shift](std::uint32_t channel, const BufferedWord& word)
              __attribute__((always_inline)) {
                sender.send(channel, word);
                ++link_flits_[channel >> vc_shift];
              },
          [&](std::uint32_t channel) __attribute__((always_inline)) { sender.send_credit(channel); });
      sender.end(wires_);
    } else {
      send_by_link();
    }
    wires_.close(cycle + latency_);
    for (OtherLatency& other : other_latencies_) other.wires.close(cycle + other.latency);
  }
  void step(Cycle cycle) {
    step(cycle, [](std::size_t) {});
  }

  /// Calls `show(NodeIndex, port, PortOutput)` for what nodes show on links in `cycle`, the one after the last step:
  /// flits and credits each by themselves.
  template <typename Show>
  void for_each_output(Cycle cycle, Show&& show) const {
    const auto flit = [&](std::uint32_t channel, const BufferedWord& word) { show_flit(channel, word, show); };
    const auto credit = [&](std::uint32_t channel) { show_credit(channel, show); };
    wires_.look_shown(cycle, latency_, flit, credit);
    for (const OtherLatency& other : other_latencies_) other.wires.look_shown(cycle, other.latency, flit, credit);
  }
  /// Calls `show(NodeIndex, port, PortOutput)` for what arrives at nodes in `cycle`, likewise, before its step.
  template <typename Show>
  void for_each_arrival(Cycle cycle, Show&& show) const {
    const auto flit = [&](std::uint32_t channel, const BufferedWord& word) {
      if (far_ends_[channel] != kNowhere) show_flit(far_ends_[channel], word, show);
    };
    const auto credit = [&](std::uint32_t channel) {
      if (far_ends_[channel] != kNowhere) show_credit(far_ends_[channel], show);
    };
    wires_.look(cycle, flit, credit);
    for (const OtherLatency& other : other_latencies_) other.wires.look(cycle, flit, credit);
  }

  /// Calls `show(NodeIndex, port, tokens, link)` for tokens of barriers and what static switches say, as nodes show it
  /// or as it arrives in `cycle`, likewise.
  template <typename Show>
  void for_each_sideband_output(Show&& show) const {
    for (std::uint32_t node = 0; node < nodes() && has_sideband_; ++node) {
      each_sideband(node, [&](std::uint32_t port, std::uint8_t tokens, const SideLink& link) {
        show(NodeIndex{node}, static_cast<std::uint8_t>(port), tokens, link);
      });
    }
  }
  template <typename Show>
  void for_each_sideband_arrival(Cycle cycle, Show&& show) const {
    for (const Sideband& sideband : sideband_) {
      if (sideband.cycle != cycle) continue;
      show(NodeIndex{sideband.node}, static_cast<std::uint8_t>(sideband.port), sideband.tokens, sideband.link);
    }
  }

  /// False: `step_steadily` would return 0.
  [[nodiscard]] bool may_be_steady(Cycle first) const {
    return nodes_.streamed() && steady_.may_look(first) && carriers_.empty() && sideband_.empty();
  }
  /// As tidings::Fabric does it.
  std::uint64_t step_steadily(Cycle first, std::uint64_t most, std::span<MemoryPort> memories) {
    if (!may_be_steady(first) || !steady_.worthwhile(wires_, first)) return 0;
    if (next_from_parts_) most = std::min<std::uint64_t>(most, *next_from_parts_ - first);
    const std::uint64_t cycles =
        steady_.find(nodes_, wires_, far_ends_, first, std::min<std::uint64_t>(most, latency_), memories);
    if (cycles != 0) node_evaluations_ += steady_.step(nodes_, wires_, latency_, link_flits_);
    return cycles;
  }

  [[nodiscard]] const Wires& wires() const { return wires_; }
  [[nodiscard]] std::uint64_t node_evaluations() const { return node_evaluations_; }
  /// Flits that have left through a network port.
  [[nodiscard]] std::uint64_t link_flits(NodeIndex node, PortId port) const {
    return link_flits_[nodes_.routers().channel(node.value, port.value, 0) >> plan_->numbers.vc_shift];
  }
  /// Of all ports.
  [[nodiscard]] std::uint64_t flit_hops() const {
    return std::accumulate(link_flits_.begin(), link_flits_.end(), std::uint64_t{0});
  }

 private:
  /// Wires with errors join all nodes of a machine.
  static constexpr bool kHasParts = std::is_same_v<Wires, InFlight>;
  /// Over the edge of a mesh, where what leaves is lost, or to another part.
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  /// `wires_` carry what is on the link.
  static constexpr std::uint32_t kHere = ~std::uint32_t{0};
  /// Number `carrier - kOtherLatency` of `other_latencies_` does.
  static constexpr std::uint32_t kOtherLatency = std::uint32_t{1} << 31;
  /// Where tokens of barriers and words of static switches go that leave a port.
  struct SidebandWay {
    std::uint32_t part = kOtherLatency;  ///< kHere, or the number of another part; kOtherLatency: nowhere
    std::uint32_t node = 0;              ///< by that part's numbers
    std::uint32_t port = 0;
    bool tokens = false;  ///< it carries tokens, too
  };
  /// The end of a link that leads out of this part.
  struct Exit {
    std::uint32_t part = kHere;  ///< where the link leads
    std::uint32_t channel = 0;   ///< by that part's numbers
  };
  /// Links of another latency than most.
  struct OtherLatency {
    std::uint32_t latency;
    InFlight wires;
  };

  /// Calls `send(leaving, channel)` if a channel that leads to no node here leads to another part.
  template <typename Send>
  void leave_for(std::uint32_t channel, Send&& send) {
    const Exit& exit = exits_[channel];
    if (exit.part != kHere) send(leaving_[exit.part], exit.channel);
  }

  void arrive_sideband(Cycle cycle) {
    while (!sideband_.empty() && sideband_.front().cycle == cycle) {
      const Sideband& sideband = sideband_.front();
      if (sideband.tokens != 0) {
        nodes_.receive_tokens(sideband.node,
                              std::uint32_t{sideband.tokens} << (sideband.port * tidings_pkg::kBarrierGroups));
      }
      if (sideband.link != SideLink{}) nodes_.receive_link(sideband.node, sideband.port, sideband.link);
      sideband_.pop_front();
    }
  }
  /// What a node shows after the edge that ends `cycle`.
  void send_sideband(std::uint32_t node, Cycle cycle) {
    each_sideband(node, [&](std::uint32_t port, std::uint8_t tokens, const SideLink& link) {
      const SidebandWay& way = sideband_ways_[std::size_t{node} * ports_ + port];
      if (!way.tokens) tokens = 0;
      if (way.part == kOtherLatency || (tokens == 0 && link == SideLink{})) return;
      const Sideband sideband{
          .cycle = cycle + latency_, .node = way.node, .port = way.port, .tokens = tokens, .link = link};
      if (way.part == kHere) {
        sideband_.push_back(sideband);
      } else {
        leaving_sideband_[way.part].push_back(sideband);
      }
    });
  }
  /// Calls `use(port, tokens, link)` for what a node shows at each port.
  template <typename Use>
  void each_sideband(std::uint32_t node, Use&& use) const {
    const std::uint32_t tokens = nodes_.tokens(node);
    const bool links = nodes_.shows_links(node);
    if (tokens == 0 && !links) return;
    // Software may name ports that the router does not have.
    for (std::uint32_t port = 0; port < ports_; ++port) {
      const std::uint8_t groups = tokens_of_port(tokens, port);
      const SideLink link = links ? nodes_.link(node, port) : SideLink{};
      if (groups != 0 || link != SideLink{}) use(port, groups, link);
    }
  }
  static std::uint8_t tokens_of_port(std::uint32_t tokens, unsigned port) {
    constexpr std::uint32_t kGroups = (1U << tidings_pkg::kBarrierGroups) - 1;
    if (port >= tidings_pkg::kBarrierPorts) return 0;
    return static_cast<std::uint8_t>(tokens >> (port * tidings_pkg::kBarrierGroups) & kGroups);
  }

  static std::vector<NodePlace> places(const Topology& topology, NodeRange range) {
    std::vector<NodePlace> all;
    for (std::uint32_t i = range.first; i < range.end; ++i) all.push_back(topology.place(NodeIndex{i}));
    return all;
  }
  static std::vector<SlotTwin> slots_of(const Topology& topology, NodeRange range, const SlotFactory& make) {
    std::vector<SlotTwin> all;
    for (std::uint32_t i = range.first; i < std::min(range.end, topology.hosts()); ++i) {
      for (unsigned s = 0; s < topology.slots(); ++s) all.push_back(make(NodeIndex{i}, s));
    }
    return all;
  }

  /// @return the place of a latency in `other_latencies_`.
  std::uint32_t other_latency(std::uint32_t latency) {
    const auto found = std::ranges::find(other_latencies_, latency, &OtherLatency::latency);
    const auto place = static_cast<std::uint32_t>(found - other_latencies_.begin());
    if (found == other_latencies_.end()) other_latencies_.push_back({.latency = latency, .wires = {}});
    return place;
  }

  /// Apart from `step`, in which most machines have all that the compiler should see at once.
  [[gnu::noinline]] void arrive_by_other_wires(Cycle cycle) {
    Routers::Arrivals arrivals(nodes_.routers());
    for (InFlight& wires : arriving_) {
      wires.arrive(
          cycle, [&](std::uint32_t channel, const BufferedWord& word) { nodes_.receive(arrivals, channel, word); },
          [&](std::uint32_t channel) { arrivals.credit(channel); });
    }
    next_from_parts_ = next_from_parts();
    for (OtherLatency& other : other_latencies_) {
      // Links to nowhere have the latency of most.
      other.wires.arrive(
          cycle,
          [&](std::uint32_t channel, const BufferedWord& word) { nodes_.receive(arrivals, far_ends_[channel], word); },
          [&](std::uint32_t channel) { arrivals.credit(far_ends_[channel]); });
    }
  }
  [[nodiscard]] std::optional<Cycle> next_from_parts() const {
    std::optional<Cycle> first;
    for (const InFlight& wires : arriving_) {
      if (const std::optional<Cycle> next = wires.next(); next && (!first || *next < *first)) first = next;
    }
    return first;
  }
  /// What leaves where links have latencies of their own.
  [[gnu::noinline]] void send_by_link() {
    const std::size_t flits = std::size_t{nodes()} * ports_;
    for (OtherLatency& other : other_latencies_) other.wires.reserve(flits, flits * plan_->numbers.network_vcs);
    node_evaluations_ += nodes_.send(
        [&](std::uint32_t channel, const BufferedWord& word) {
          const std::uint32_t link = channel >> plan_->numbers.vc_shift;
          ++link_flits_[link];
          const std::uint32_t by = carriers_[link];
          if (by == kHere) {
            wires_.send(channel, word);
          } else {
            other_latencies_[by - kOtherLatency].wires.send(channel, word);
          }
        },
        [&](std::uint32_t channel) {
          const std::uint32_t by = carriers_[channel >> plan_->numbers.vc_shift];
          if (by == kHere) {
            wires_.send_credit(channel);
          } else {
            other_latencies_[by - kOtherLatency].wires.send_credit(channel);
          }
        });
  }

  template <typename Show>
  void show_flit(std::uint32_t channel, const BufferedWord& word, Show&& show) const {
    const RouterNumbers& numbers = plan_->numbers;
    const unsigned c = plan_->within(channel);
    show(NodeIndex{plan_->node(channel)}, static_cast<std::uint8_t>(numbers.port(c)),
         PortOutput{.flit_valid = true,
                    .flit = {.vc = static_cast<std::uint8_t>(numbers.vc(c)), .last = word.last, .data = word.data},
                    .credits = 0});
  }
  template <typename Show>
  void show_credit(std::uint32_t channel, Show&& show) const {
    const RouterNumbers& numbers = plan_->numbers;
    const unsigned c = plan_->within(channel);
    show(NodeIndex{plan_->node(channel)}, static_cast<std::uint8_t>(numbers.port(c)),
         PortOutput{.flit_valid = false, .flit = {}, .credits = static_cast<std::uint8_t>(1U << numbers.vc(c))});
  }

  std::uint32_t slots_;  ///< of one router
  std::uint32_t ports_;  ///< network ports of one router
  std::uint32_t latency_;
  RoutersWithSlots<SlotTwin> nodes_;
  const RouterPlan* plan_;                     ///< of the routers
  std::vector<OtherLatency> other_latencies_;  ///< empty if all links have the same latency
  Wires wires_;
  std::vector<InFlight> leaving_;          ///< for each other part: what has left for it; empty if there is one part
  std::vector<InFlight> arriving_;         ///< likewise: what comes from it, with its channel's number here
  std::optional<Cycle> next_from_parts_;   ///< when the first of that is due
  std::vector<SlotInput> inputs_;          ///< a slot: what enters it in the next step
  NodeSet touched_;                        ///< nodes with such inputs
  std::vector<std::uint64_t> inputs_of_;   ///< a node: slots with inputs, one bit each
  std::vector<std::uint32_t> far_ends_;    ///< a channel: the one at the other end of its link
  std::vector<Exit> exits_;                ///< a channel: where it leads out of the part; empty if none does
  std::vector<std::uint32_t> carriers_;    ///< a link, channel >> vc_shift; empty if `wires_` carry all
  std::vector<std::uint64_t> link_flits_;  ///< likewise
  std::uint64_t node_evaluations_ = 0;
  SteadyCycles steady_;
  bool has_sideband_;                                    ///< routers have other wires than those of the network
  std::vector<SidebandWay> sideband_ways_;               ///< node * ports + port; empty without such wires
  std::deque<Sideband> sideband_;                        ///< on its way, in the order in which it is due
  std::vector<std::vector<Sideband>> leaving_sideband_;  ///< as `leaving_`
};

}  // namespace tidings::cycle
