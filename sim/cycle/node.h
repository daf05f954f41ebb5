// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file node.h
/// Twin of rtl/machine/node.sv: one router with its slots.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/router.h"
#include "sim/cycle/slot.h"
#include "sim/machine/machine.h"
#include "sim/machine/network_ports.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// The parameters of a slot of such a node.
[[nodiscard]] SlotParameters slot_parameters(const NodeParameters& parameters, SlotId slot);

/// A router and what hangs on its slot ports: slots, or something else with the same functions.
/// One cycle is: `receive` and `credit` for each network port with inputs; `clock_slots`; then `send` shows the next
/// cycle's outputs.
template <typename SlotTwin>
class RouterWithSlots {
 public:
  RouterWithSlots(const NodeParameters& parameters, const NodePlace& place, std::vector<SlotTwin> slots)
      : router_(parameters, place),
        network_ports_(network_ports(parameters)),
        slots_(std::move(slots)),
        to_slots_(slots_.size()),
        slots_active_(0) {
    for (std::size_t s = 0; s < slots_.size(); ++s) note(s);
  }

  [[nodiscard]] SlotTwin& slot(std::size_t s) { return slots_[s]; }
  [[nodiscard]] const SlotTwin& slot(std::size_t s) const { return slots_[s]; }
  /// One bit per slot: those that a clock edge changes even without inputs.
  [[nodiscard]] std::uint32_t slots_active() const { return slots_active_; }
  /// A slot has changed from outside.
  void note(std::size_t s) {
    if (slots_[s].busy()) slots_active_ |= std::uint32_t{1} << s;
  }

  /// What comes in at a port. What is on channels that the port has not is lost.
  void receive(unsigned port, const PortInput& input) {
    const unsigned channels = router_.channels_of(port);
    if (input.flit_valid && input.flit.vc < channels) router_.receive(port, input.flit);
    for (unsigned rest = input.credits & ((1U << channels) - 1); rest != 0; rest &= rest - 1) {
      router_.credit(port, static_cast<unsigned>(std::countr_zero(rest)));
    }
  }
  /// What comes in at a network port from a router of the same parameters.
  void receive(unsigned port, const Flit& flit) { router_.receive(port, flit); }
  void credit(unsigned port, unsigned vc) { router_.credit(port, vc); }

  /// The clock edge of the slots. @param touched one bit per slot with inputs. @param inputs of all slots.
  /// @param clocked called with the number of each slot that had one, in rising order.
  template <typename Clocked>
  void clock_slots(std::uint32_t touched, const SlotInput* inputs, Clocked&& clocked) {
    std::uint32_t active = 0;
    const std::uint32_t taken = take_route_write();
    for (std::uint32_t rest = touched | slots_active_; rest != 0; rest &= rest - 1) {
      const auto s = static_cast<unsigned>(std::countr_zero(rest));
      SlotTwin& slot = slots_[s];
      const PortOutput from = slot.port();
      if constexpr (kHasEngines) {
        const std::optional<Flit> over_lane = slot.lane();
        slot.clock(to_slots_[s], inputs[s], {.write_taken = (taken >> s & 1U) != 0, .refused = route_refused_},
                   s == 0 ? direct_ : kNoDirectInput);
        if (slot.route_write()) route_writes_ |= std::uint32_t{1} << s;
        if (over_lane) router_.receive_lane(*over_lane);
      } else {
        slot.clock(to_slots_[s], inputs[s]);
      }
      to_slots_[s] = {};
      active |= static_cast<std::uint32_t>(slot.busy()) << s;
      receive(network_ports_ + s, {.flit_valid = from.flit_valid, .flit = from.flit, .credits = from.credits});
      clocked(s);
    }
    direct_.tapped = 0;
    direct_.lane_credit = false;
    slots_active_ = active;
    route_refused_ = false;
  }

  /// What leaves through network ports: calls `flit(port, Flit)` and `credit(port, channel)` for each.
  /// @return the RTL's busy_o: whether a clock edge without inputs changes anything.
  template <typename FlitSink, typename CreditSink>
  bool send(FlitSink&& flit, CreditSink&& credit) {
    router_busy_ = false;
    if (!router_.waiting()) return slots_active_ != 0;
    router_busy_ = router_.send(
        [&](unsigned port, const Flit& leaving) {
          if (port < network_ports_) {
            flit(port, leaving);
            return;
          }
          PortInput& input = to_slot(port);
          input.flit_valid = true;
          input.flit = leaving;
        },
        [&](unsigned port, unsigned channel) {
          if (port < network_ports_) {
            credit(port, channel);
          } else if (port < network_ports_ + slots_.size()) {
            to_slot(port).credits |= static_cast<std::uint8_t>(1U << channel);
          } else {
            direct_.lane_credit = true;
            slots_active_ |= 1U;
          }
        },
        [&](unsigned port, const Flit& word) {
          direct_.taps[port] = word;
          direct_.tapped |= static_cast<std::uint8_t>(1U << port);
          slots_active_ |= 1U;
        });
    if constexpr (kHasEngines) {
      if (router_.take_refused()) {
        route_refused_ = true;
        slots_active_ |= (std::uint32_t{1} << slots_.size()) - 1;
      }
    }
    return busy();
  }
  /// The same, as of the last `send`, with what has become of the slots since.
  [[nodiscard]] bool busy() const { return router_busy_ || slots_active_ != 0; }

  /// The router's static routes.
  [[nodiscard]] RouteTable& routes() { return router_.routes(); }

 private:
  /// The slots change static routes, and are told of packets that these refuse; slot 0 has direct links.
  static constexpr bool kHasEngines = requires(SlotTwin slot) { slot.route_write(); };
  static constexpr DirectInput kNoDirectInput{};

  /// The router takes a change of its static routes. @return the slot that it comes from, one-hot.
  std::uint32_t take_route_write() {
    std::uint32_t taken = 0;
    if constexpr (kHasEngines) {
      if (route_writes_ == 0) return 0;
      // Without a table all writes are lost at once.
      if (router_.routes().routes() == 0) return std::exchange(route_writes_, 0);
      taken = router_.routes().writer(route_writes_);
      const auto s = static_cast<unsigned>(std::countr_zero(taken));
      router_.routes().write(taken, *slots_[s].route_write());
      route_writes_ = 0;  // slots with another are busy, and say so again
    }
    return taken;
  }

  PortInput& to_slot(unsigned port) {
    const unsigned s = port - network_ports_;
    slots_active_ |= std::uint32_t{1} << s;
    return to_slots_[s];
  }

  Router router_;
  unsigned network_ports_;
  std::vector<SlotTwin> slots_;
  std::vector<PortInput> to_slots_;  ///< what the router shows them in this cycle
  std::uint32_t slots_active_;       ///< busy slots, and those with something in `to_slots_`
  std::uint32_t route_writes_ = 0;   ///< slots that change a static route
  bool router_busy_ = false;         ///< in this cycle
  bool route_refused_ = false;       ///< what the router tells all slots in this cycle
  DirectInput direct_;               ///< what it tells slot 0
};

/// The node behind the interface of all nodes. Machines use Fabric (fabric.h), which is faster.
class CycleNode : public Node {
 public:
  CycleNode(const NodeParameters& parameters, const NodePlace& place);

  [[nodiscard]] const NodeOutputs& outputs() const override { return outputs_; }
  void step(const NodeInputs& inputs) override;

 private:
  RouterWithSlots<Slot> node_;
  NodeOutputs outputs_;
};

/// Makes such nodes.
[[nodiscard]] NodeFactory cycle_node_factory(const NodeParameters& parameters);

/// The slots of a node, reset.
[[nodiscard]] std::vector<Slot> make_slots(const NodeParameters& parameters, const NodePlace& place);

}  // namespace tidings::cycle
