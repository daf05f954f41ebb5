// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file node.h
/// Twin of rtl/machine/node.sv: one router with its slots.
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/barrier_hub.h"
#include "sim/cycle/router.h"
#include "sim/cycle/slot.h"
#include "sim/machine/index_set.h"
#include "sim/machine/machine.h"
#include "sim/machine/network_ports.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// The parameters of a slot of such a node, by its number among all of them.
[[nodiscard]] SlotParameters slot_parameters(const NodeParameters& parameters, unsigned number);

/// Routers and what hangs on their slot ports: slots, or something else with the same functions. Those with slots come
/// first. Slots are numbered node * slots of a router + slot, channels as in `Routers`.
/// One cycle is: `receive` for what comes in at network ports; `clock_slots` for each node that has slots to clock;
/// `receive` for what arrives over links, as some of it goes on to the slots at once; then `send` shows the next
/// cycle's outputs.
template <typename SlotTwin>
class RoutersWithSlots {
 public:
  /// @param places of all routers.
  RoutersWithSlots(const NodeParameters& parameters, const std::vector<NodePlace>& places, std::vector<SlotTwin> slots)
      : routers_(parameters, places),
        slots_of_router_(parameters.num_slots),
        hubs_(kHasEngines && parameters.barrier_slots != 0 && network_ports(parameters) == 0 ? places.size() : 0),
        one_slot_(slots_of_router_ == 1 && hubs_.empty()),
        clocking_(static_cast<std::uint32_t>(places.size())),
        nodes_(places.size()) {
    slots_.reserve(slots.size());
    for (SlotTwin& slot : slots) slots_.push_back({.slot = std::move(slot), .to = {}});
    for (std::size_t s = 0; s < slots_.size(); ++s) note(s);
  }

  /// Slots of all routers.
  [[nodiscard]] std::size_t slots() const { return slots_.size(); }
  [[nodiscard]] SlotTwin& slot(std::size_t slot) { return slots_[slot].slot; }
  [[nodiscard]] const SlotTwin& slot(std::size_t slot) const { return slots_[slot].slot; }
  /// A slot has changed from outside.
  void note(std::size_t slot) {
    if (slots_[slot].slot.busy()) {
      wake(static_cast<std::uint32_t>(slot / slots_of_router_), static_cast<unsigned>(slot % slots_of_router_));
    }
  }

  /// Swap the states of as many nodes from `first` on with others, from `others_first` on. Nothing is busy, but in
  /// nodes that have never had a clock edge, and the routers hold no words.
  void swap(std::uint32_t first, RoutersWithSlots& other, std::uint32_t others_first, std::uint32_t count) {
    routers_.swap(first, other.routers_, others_first, count);
    for (std::uint32_t n = 0; n < count; ++n) {
      std::swap(nodes_[first + n], other.nodes_[others_first + n]);
      rest(first + n);
      other.rest(others_first + n);
      if (!hubs_.empty()) std::swap(hubs_[first + n], other.hubs_[others_first + n]);
    }
    // Nodes without slots come last.
    const std::size_t from = std::min(std::size_t{first} * slots_of_router_, slots_.size());
    const std::size_t end = std::min(std::size_t{first + count} * slots_of_router_, slots_.size());
    for (std::size_t s = from; s < end; ++s)
      std::swap(slots_[s], other.slots_[others_first * slots_of_router_ + s - from]);
  }

  [[nodiscard]] Routers& routers() { return routers_; }
  [[nodiscard]] const Routers& routers() const { return routers_; }
  /// Nodes with slots that a clock edge changes even without inputs.
  [[nodiscard]] const NodeSet& clocking() const { return clocking_; }
  /// A cycle without inputs changes something.
  [[nodiscard]] bool busy() const { return !clocking_.empty() || routers_.any_active(); }
  /// The same, of one node: the RTL's busy_o.
  [[nodiscard]] bool busy(std::uint32_t node) const {
    return clocking_.contains(NodeIndex{node}) || routers_.active(node);
  }

  /// No slot had a clock edge in the last cycle that did more than move words.
  [[nodiscard]] bool streamed() const { return streamed_; }
  /// A new cycle: no slot has had its edge.
  void begin_cycle() { streamed_ = true; }
  /// Slots of a node that its next clock edge changes, one bit each.
  [[nodiscard]] std::uint64_t active_slots(std::uint32_t node) const { return nodes_[node].active; }
  /// Nothing but flits and credits comes to the slots of a node in the next cycle.
  [[nodiscard]] bool has_words_alone(std::uint32_t node) const { return hubs_.empty() && !nodes_[node].more; }
  /// What the router shows a slot in the next cycle.
  [[nodiscard]] PortInput& to_slot_number(std::size_t slot) { return slots_[slot].to; }

  /// A flit arrives over a link, after the edges of the slots.
  [[gnu::always_inline]] void receive(Routers::Arrivals& arrivals, std::uint32_t channel, const BufferedWord& word) {
    if (!arrivals.goes_on(channel)) {
      arrivals.receive(channel, word);
    } else if (kHasEngines && arrivals.passes(channel)) {
      routers_.pass(channel, word);
      tap(channel, word);
    } else if (arrivals.may_go_on(channel)) {
      routers_.activate(channel);
      routers_.go_on(channel, word);
    } else {
      arrivals.receive(channel, word);
    }
  }

  /// What comes in at a port, or is shown to it. What is on channels that the port has not is lost.
  template <typename PortWires>
  [[gnu::always_inline]] void receive(std::uint32_t node, unsigned port, const PortWires& input) {
    const unsigned channels = routers_.plan().numbers.channels_of(port);
    if (input.flit_valid && input.flit.vc < channels) {
      routers_.receive(routers_.channel(node, port, input.flit.vc), {.data = input.flit.data, .last = input.flit.last});
    }
    take_credits(node, port, input.credits & ((1U << channels) - 1));
  }

  /// Tokens of barriers come in: port * groups + group.
  void receive_tokens(std::uint32_t node, std::uint32_t tokens) {
    nodes_[node].direct.tokens |= tokens;
    tell(node, 0);
  }
  /// Something comes from the static switch of a neighbour, or its router of the network of `stream`.
  void receive_link(std::uint32_t node, unsigned port, const SideLink& link) {
    DirectInput& direct = nodes_[node].direct;
    direct.links[port] = link;
    direct.switched |= static_cast<std::uint8_t>(1U << port);
    tell(node, 0);
  }
  /// A node's static switch, or its router of the network of `stream`, shows anything.
  [[nodiscard]] bool shows_links(std::uint32_t node) const {
    const std::size_t slot = std::size_t{node} * slots_of_router_;
    if constexpr (kHasEngines) return slot < slots_.size() && slots_[slot].slot.shows_links();
    return false;
  }
  /// What both show at a port.
  [[nodiscard]] SideLink link(std::uint32_t node, unsigned port) const {
    if constexpr (kHasEngines) {
      if (port < tidings_pkg::kSwitchPorts) return slots_[std::size_t{node} * slots_of_router_].slot.link(port);
    }
    return {};
  }
  /// Tokens that a node shows, likewise.
  [[nodiscard]] std::uint32_t tokens(std::uint32_t node) const {
    const std::size_t slot = std::size_t{node} * slots_of_router_;
    if constexpr (kHasEngines) return slot < slots_.size() ? slots_[slot].slot.tokens() : 0;
    return 0;
  }

  /// The clock edge of a node's slots. @param touched one bit a slot with inputs. @param inputs of all its slots.
  /// @param clocked called with the number of each slot that had one, in rising order.
  template <typename Clocked>
  void clock_slots(std::uint32_t node, std::uint64_t touched, const SlotInput* inputs, Clocked&& clocked) {
    Slots& slots = nodes_[node];
    if constexpr (kHasEngines) {
      if (one_slot_ && ((!slots.more && move_words(node, inputs[0])) || flow(node, inputs[0]))) {
        clocked(std::size_t{node});
        return;
      }
    }
    const std::uint64_t taken = take_route_write(node);
    const std::size_t first = std::size_t{node} * slots_of_router_;
    const unsigned network_ports = routers_.plan().numbers.network_ports;
    routers_.activate(routers_.plan().first_channel(node));
    const std::uint64_t released = hubs_.empty() ? 0 : hubs_[node].released();
    slots.active |= released;
    if (!hubs_.empty()) release(node, released);
    std::uint64_t active = 0;
    for (std::uint64_t rest = touched | slots.active; rest != 0; rest &= rest - 1) {
      const auto s = static_cast<unsigned>(std::countr_zero(rest));
      SlotTwin& slot = slots_[first + s].slot;
      PortInput& to_slot = slots_[first + s].to;
      // What it shows before the edge.
      take_from(node, network_ports + s, slot.port());
      if constexpr (kHasEngines) {
        if (const std::optional<Flit>& over_lane = slot.lane())
          routers_.take_from_lane(node, {.data = over_lane->data, .last = over_lane->last});
        slot.clock(to_slot, inputs[s], {.write_taken = (taken >> s & 1U) != 0, .refused = slots.route_refused},
                   hubs_.empty() ? (s == 0 ? slots.direct : kNoDirectInput) : from_hub_[s]);
        if (!hubs_.empty()) {
          if (const BarrierMates* const mates = slot.mates()) hubs_[node].show(s, slot.tokens(), *mates);
        }
        streamed_ = streamed_ && slot.streamed();
        if (slot.route_write()) slots.route_writes |= std::uint64_t{1} << s;
      } else {
        slot.clock(to_slot, inputs[s]);
      }
      to_slot = {};
      active |= static_cast<std::uint64_t>(slot.busy()) << s;
      clocked(first + s);
    }
    if constexpr (kHasEngines) {
      slots.direct.tapped = 0;
      slots.direct.lane_credit = false;
      slots.direct.tokens = 0;
      slots.direct.switched = 0;
      slots.route_refused = false;
      slots.more = slots.route_writes != 0;
    }
    slots.active = active;
    set_clocking(node, active != 0 || (!hubs_.empty() && hubs_[node].busy(slots_of_router_)));
  }

  /// What leaves through network ports: calls `flit(channel, BufferedWord)` with the output channel and
  /// `credit(channel)` with the input channel for each.
  /// @return how many routers were active, or had a slot to clock.
  template <typename FlitSink, typename CreditSink>
  [[gnu::always_inline]] std::uint64_t send(FlitSink&& flit, CreditSink&& credit) {
    const RouterPlan& plan = routers_.plan();
    const unsigned offset = (1U << plan.node_shift) - 1;
    const unsigned slot0 = plan.numbers.slot0;
    const unsigned lane = plan.numbers.lane;
    const std::uint64_t active = routers_.send(
        [&](std::uint32_t channel, const BufferedWord& word) __attribute__((always_inline)) {
          if ((channel & offset) < slot0) {
            flit(channel, word);
            return;
          }
          PortInput& input = to_slot(channel);
          input.flit_valid = true;
          input.flit = {
              .vc = static_cast<std::uint8_t>(plan.numbers.vc(channel)), .last = word.last, .data = word.data};
        },
        [&](std::uint32_t channel) __attribute__((always_inline)) {
          const unsigned c = channel & offset;
          if (c < slot0) {
            credit(channel);
          } else if (c < lane) {
            to_slot(channel).credits |= static_cast<std::uint8_t>(1U << plan.numbers.vc(channel));
          } else {
            nodes_[plan.node(channel)].direct.lane_credit = true;
            tell(plan.node(channel), 0);
          }
        },
        [this](std::uint32_t channel, const BufferedWord& word) { tap(channel, word); });
    if constexpr (kHasEngines) {
      for (const std::uint32_t node : routers_.refusing()) {
        nodes_[node].route_refused = true;
        for (unsigned s = 0; s < slots_of_router_ && node * slots_of_router_ < slots_.size(); ++s) tell(node, s);
      }
    }
    return active;
  }

 private:
  /// The slots change static routes, and are told of packets that these refuse; slot 0 has direct links.
  static constexpr bool kHasEngines = requires(SlotTwin slot) { slot.route_write(); };
  static constexpr DirectInput kNoDirectInput{};

  struct Place {
    SlotTwin slot;
    PortInput to;  ///< what the router shows it in this cycle
  };
  /// The slots of a router.
  struct Slots {
    std::uint64_t active = 0;        ///< busy slots, and those with something from the router
    std::uint64_t route_writes = 0;  ///< slots that change a static route
    bool route_refused = false;      ///< what the router tells all slots in this cycle
    bool more = false;               ///< there is any of these two, or anything in `direct`
    DirectInput direct;              ///< what it tells slot 0
  };

  /// A neighbour packet brings a word to slot 0, which has it in the next cycle.
  void tap(std::uint32_t channel, const BufferedWord& word) {
    const RouterPlan& plan = routers_.plan();
    const std::uint32_t node = plan.node(channel);
    const unsigned port = plan.numbers.port(plan.within(channel));
    DirectInput& direct = nodes_[node].direct;
    Flit& flit = direct.taps[port];  // which is of vc 0
    flit.data = word.data;
    flit.last = word.last;
    direct.tapped |= static_cast<std::uint8_t>(1U << port);
    tell(node, 0);
  }

  /// What a slot, or what is in its place, shows its router at a port.
  template <typename PortWires>
  [[gnu::always_inline]] void take_from(std::uint32_t node, unsigned port, const PortWires& shown) {
    const unsigned channels = routers_.plan().numbers.classes;
    if (shown.flit_valid && shown.flit.vc < channels)
      routers_.take(routers_.channel(node, port, shown.flit.vc), {.data = shown.flit.data, .last = shown.flit.last});
    take_credits(node, port, shown.credits & ((1U << channels) - 1));
  }
  void take_credits(std::uint32_t node, unsigned port, unsigned credits) {
    for (; credits != 0; credits &= credits - 1)
      routers_.credit(routers_.channel(node, port, static_cast<unsigned>(std::countr_zero(credits))));
  }

  void wake(std::uint32_t node, unsigned slot) {
    nodes_[node].active |= std::uint64_t{1} << slot;
    clocking_.insert(NodeIndex{node});
  }
  /// Nothing changes in a node by itself.
  void rest(std::uint32_t node) {
    nodes_[node].active = 0;
    clocking_.erase(NodeIndex{node});
    routers_.set_active(node, false);
  }
  /// The router or neighbours tell a slot more than words and credits.
  void tell(std::uint32_t node, unsigned slot) {
    nodes_[node].more = true;
    wake(node, slot);
  }
  void set_clocking(std::uint32_t node, bool clocks) {
    if (clocks) {
      clocking_.insert(NodeIndex{node});
    } else {
      clocking_.erase(NodeIndex{node});
    }
  }

  /// What `clock_slots` does for the only slot of a router, if nothing can happen but that words of payload come or
  /// leave. @return false: there is more, and nothing has changed.
  [[gnu::always_inline]] bool move_words(std::uint32_t node, const SlotInput& inputs) {
    auto& [slot, to] = slots_[node];
    if (!slot.may_move_words(to, inputs)) return false;
    const std::uint32_t channel = routers_.channel(node, routers_.plan().numbers.network_ports, kClassRequest);
    routers_.activate(channel);
    // What it shows before the edge.
    const PortOutput& shown = slot.port();
    if (shown.flit_valid) {
      routers_.take(channel, {.data = shown.flit.data, .last = shown.flit.last});
    }
    if (shown.credits != 0) routers_.credit(channel);
    slot.move_words(to, inputs);
    to = {};
    streamed_ = streamed_ && slot.streamed();
    nodes_[node].active = slot.busy() ? 1 : 0;
    set_clocking(node, slot.busy());
    return true;
  }

  /// The same, if nothing can happen but that words flow through `mpe`.
  [[gnu::always_inline]] bool flow(std::uint32_t node, const SlotInput& inputs) {
    Slots& slots = nodes_[node];
    auto& [slot, to] = slots_[node];
    if (slots.route_writes != 0 || slots.route_refused || !slot.may_flow(to, inputs, slots.direct)) return false;
    const std::uint32_t first = routers_.plan().first_channel(node);
    routers_.activate(first);
    const PortOutput& shown = slot.port();
    if (shown.flit_valid) {
      routers_.take(first + routers_.plan().numbers.slot0 + shown.flit.vc,
                    {.data = shown.flit.data, .last = shown.flit.last});
    }
    if (const Flit* const over_lane = slot.mpes_lane())
      routers_.take_from_lane(node, {.data = over_lane->data, .last = over_lane->last});
    slot.flow(to, inputs, slots.direct);
    to = {};
    streamed_ = false;
    slots.direct.tapped = 0;
    slots.direct.lane_credit = false;
    slots.more = false;
    slots.active = slot.busy() ? 1 : 0;
    set_clocking(node, slot.busy());
    return true;
  }

  /// The clock edge of a router's hub, which has released these slots: they are told in this cycle.
  void release(std::uint32_t node, std::uint64_t released) {
    for (unsigned s = 0; s < slots_of_router_; ++s)
      from_hub_[s].tokens = (released >> s & 1U) != 0 ? hubs_[node].release(s) : 0;
    hubs_[node].clock(slots_of_router_);
  }

  /// A router takes a change of its static routes. @return the slot that it comes from, one-hot.
  std::uint64_t take_route_write(std::uint32_t node) {
    std::uint64_t taken = 0;
    if constexpr (kHasEngines) {
      std::uint64_t& writes = nodes_[node].route_writes;
      if (writes == 0) return 0;
      RouteTable& routes = routers_.routes(node);
      // Without a table all writes are lost at once.
      if (routes.routes() == 0) return std::exchange(writes, 0);
      taken = routes.writer(writes);
      const std::size_t slot = std::size_t{node} * slots_of_router_ + static_cast<unsigned>(std::countr_zero(taken));
      routes.write(taken, *slots_[slot].slot.route_write());
      writes = 0;  // slots with another are busy, and say so again
    }
    return taken;
  }

  [[gnu::always_inline]] PortInput& to_slot(std::uint32_t channel) {
    const RouterPlan& plan = routers_.plan();
    const std::uint32_t node = plan.node(channel);
    const unsigned s = plan.numbers.port(plan.within(channel)) - plan.numbers.network_ports;
    wake(node, s);
    return slots_[std::size_t{node} * slots_of_router_ + s].to;
  }

  Routers routers_;
  std::uint32_t slots_of_router_;
  std::vector<BarrierHub> hubs_;                                    ///< of routers that are alone; mostly none
  bool one_slot_;                                                   ///< routers have one slot each, and no hub
  std::array<DirectInput, tidings_pkg::kBarrierMates> from_hub_{};  ///< what one of them tells its slots
  std::vector<Place> slots_;
  NodeSet clocking_;
  std::vector<Slots> nodes_;
  bool streamed_ = false;
};

/// The node behind the interface of all nodes. Machines use Fabric (fabric.h), which is faster.
class CycleNode : public Node {
 public:
  CycleNode(const NodeParameters& parameters, const NodePlace& place);

  [[nodiscard]] const NodeOutputs& outputs() const override { return outputs_; }
  void step(const NodeInputs& inputs) override;

 private:
  RoutersWithSlots<Slot> node_;
  NodeOutputs outputs_;
};

/// Makes such nodes.
[[nodiscard]] NodeFactory cycle_node_factory(const NodeParameters& parameters);

/// The slots of a node, reset.
[[nodiscard]] std::vector<Slot> make_slots(const NodeParameters& parameters, const NodePlace& place);

}  // namespace tidings::cycle
