// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file crosspoint_router.h
/// Twin of rtl/network/crosspoint_router.sv: single router with virtual output queues and crosspoint buffers.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/arbiter.h"
#include "sim/cycle/crosspoint_output.h"
#include "sim/cycle/input_channel.h"
#include "sim/cycle/route_table.h"
#include "sim/cycle/voq_port.h"
#include "sim/machine/machine_config.h"

namespace tidings::cycle {

/// One cycle t is: `send` tells what leaves in t, then `receive` and `credit` take what comes in, in any order. Cycles
/// before which it is not busy, and in which nothing comes in, may be left out.
class CrosspointRouter {
 public:
  /// The state after reset.
  explicit CrosspointRouter(const NodeParameters& parameters)
      : inputs_(parameters.num_slots, VoqPort(parameters)),
        outputs_(parameters.num_slots, CrosspointOutput(parameters)),
        routes_(parameters.num_routes, parameters.num_slots, std::min(parameters.num_slots, kMaxSlots)) {
    choose();
  }

  /// A flit arrives from a slot, and there is room for it.
  void receive(unsigned slot, unsigned message_class, const BufferedWord& word) {
    inputs_[slot].receive(message_class, word);
    changed_ = true;
  }
  /// A place of a slot's buffer became free.
  void credit(unsigned slot, unsigned message_class) {
    returned_.push_back({.slot = slot, .message_class = message_class});
    changed_ = true;
  }

  /// The next clock edge changes something even if nothing comes in.
  [[nodiscard]] bool busy() const { return busy_; }

  /// The static routes. Changes count from the next cycle on.
  [[nodiscard]] RouteTable& routes() { return routes_; }
  /// A static packet without an output is dropped in this cycle.
  [[nodiscard]] bool refused() const { return refused_; }

  /// What leaves in this cycle: calls `flit(slot, message_class, BufferedWord)` and `credit(slot, message_class)`.
  template <typename FlitSink, typename CreditSink>
  void send(FlitSink&& flit, CreditSink&& credit) {
    if (busy_ || changed_) clock();
    changed_ = false;
    for (unsigned slot = 0; slot < outputs_.size(); ++slot) {
      if (const auto& choice = outputs_[slot].choice()) flit(slot, choice->message_class, choice->word);
      for (unsigned rest = inputs_[slot].credits(); rest != 0; rest &= rest - 1) {
        credit(slot, static_cast<unsigned>(std::countr_zero(rest)));
      }
    }
  }

 private:
  struct Returned {
    unsigned slot;
    unsigned message_class;
  };

  /// The clock edge that ends the cycle of the last `send`.
  void clock();
  /// What the registers say of the next cycle.
  void choose();
  /// One input looks up the route of a static packet.
  void look_up();

  std::vector<VoqPort> inputs_;
  std::vector<CrosspointOutput> outputs_;
  std::vector<Returned> returned_;  ///< credits that have come in
  bool changed_ = false;            ///< something has come in since the last `send`
  bool busy_ = false;
  bool refused_ = false;
  RouteTable routes_;
  WideArbiter readers_;
};

}  // namespace tidings::cycle
