// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file endpoint.h
/// What hangs on a router's slot port instead of a slot: a source of packets with a queue without bound, and a sink.
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/machine/node.h"
#include "sim/traffic/ledger.h"

namespace tidings::traffic {

/// An end of the network as `RouterWithSlots` wants it. Each class has a queue; packets leave in order, a flit per
/// cycle for the whole endpoint, classes in turn. Arriving flits are consumed at once: one a cycle, credits in the
/// next. Outputs are functions of registered state, and of packets created in this cycle.
class TrafficEndpoint {
 public:
  static constexpr unsigned kMaxClasses = 4;

  /// What all endpoints of a machine have in common.
  struct Parameters {
    std::uint32_t classes = 1;
    std::uint32_t packet_flits = 1;
    std::uint32_t router_room = 0;  ///< flits, of each class
  };

  /// @param ledger must outlive the endpoint.
  /// @param addresses the first word of a packet to each endpoint, without its source; must outlive the endpoint.
  TrafficEndpoint(Ledger& ledger, const std::vector<std::uint32_t>& addresses, std::uint32_t number,
                  const Parameters& parameters)
      : number_(number), parameters_(parameters), ledger_(&ledger), addresses_(&addresses) {
    for (Class& state : classes_) state.credits = parameters.router_room;
  }

  /// Towards the router.
  [[nodiscard]] const PortOutput& port() const { return port_; }
  /// Low promises that a clock edge without inputs changes nothing.
  [[nodiscard]] bool busy() const { return port_.flit_valid || port_.credits != 0; }

  /// A packet is created in this cycle and may leave in it.
  void create(std::uint32_t destination, std::uint8_t message_class) {
    ledger_->created(parameters_.packet_flits);
    classes_[message_class].queue.push(ledger_->waiting(), {.created = ledger_->now, .destination = destination});
    if (!port_.flit_valid) show_flit();
  }

  /// One clock edge.
  void clock(const PortInput& input, const SlotInput& /*unused*/) {
    if (port_.flit_valid) send();
    port_ = {};
    for (unsigned rest = input.credits; rest != 0; rest &= rest - 1) {
      ++classes_[static_cast<unsigned>(std::countr_zero(rest))].credits;
    }
    if (input.flit_valid) receive(input.flit);
    show_flit();
  }

 private:
  struct Class {
    WaitingPackets::Queue queue;  ///< the first one may be leaving
    std::uint32_t sent = 0;       ///< flits of the first one
    std::uint32_t credits = 0;
    std::uint32_t source = 0;  ///< of the packet that is being received
    bool receiving = false;
  };

  /// The flit that the port shows leaves.
  void send() {
    const std::uint8_t vc = port_.flit.vc;
    Class& state = classes_[vc];
    if (state.sent == 0) ledger_->departed(ledger_->now, number_, vc, state.queue.front(ledger_->waiting()));
    --state.credits;
    ++state.sent;
    if (port_.flit.last) {
      state.queue.pop(ledger_->waiting());
      state.sent = 0;
    }
    turn_ = following(vc);
  }

  void receive(const Flit& flit) {
    Class& state = classes_[flit.vc];
    ledger_->flit_arrived();
    if (!state.receiving) state.source = source_of(flit.data);
    state.receiving = !flit.last;
    if (flit.last) ledger_->packet_arrived(state.source, number_, flit.vc);
    port_.credits = static_cast<std::uint8_t>(1U << flit.vc);
  }

  void show_flit() {
    unsigned c = turn_;
    for (unsigned i = 0; i < parameters_.classes; ++i, c = following(c)) {
      const Class& state = classes_[c];
      if (state.queue.empty() || state.credits == 0) continue;
      port_.flit_valid = true;
      if (state.sent == 0) {
        port_.flit.data = (*addresses_)[state.queue.front(ledger_->waiting()).destination] | source_bits(number_);
      }
      port_.flit.vc = static_cast<std::uint8_t>(c);
      port_.flit.last = state.sent + 1 == parameters_.packet_flits;
      return;
    }
  }

  [[nodiscard]] unsigned following(unsigned c) const { return c + 1 == parameters_.classes ? 0 : c + 1; }

  PortOutput port_;
  unsigned turn_ = 0;  ///< the class that is looked at first
  std::uint32_t number_;
  Parameters parameters_;
  Ledger* ledger_;
  const std::vector<std::uint32_t>* addresses_;
  std::array<Class, kMaxClasses> classes_;
};

}  // namespace tidings::traffic
