// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file stream_network.h
/// Twin of rtl/engine/stream_network.sv: a slot's place in a network that the engines `stream` have to themselves.
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/credit_counter.h"
#include "sim/cycle/engine.h"
#include "sim/cycle/router.h"
#include "sim/cycle/slot_receiver.h"

namespace tidings::cycle {

class StreamNetwork {
 public:
  StreamNetwork(const NodeParameters& parameters, NodeId node)
      : routers_(of_one_channel(parameters), {place_of(parameters, node)}),
        ports_(routers_.plan().numbers.network_ports),
        room_(parameters.slot_buffer_flits),
        receiver_(parameters.slot_buffer_flits, ~Engines{0}) {}

  /// There is room for a flit of the slot.
  [[nodiscard]] bool has_room() const { return room_.available(); }
  /// The word that is offered to the slot.
  [[nodiscard]] ReceivedWord word() const { return receiver_.word(); }
  /// What it shows to its neighbours, if anything.
  [[nodiscard]] const StreamLinks* links() const { return shows_ ? &links_ : nullptr; }
  /// A clock edge without inputs changes something. @param takes the slot takes a word if one is offered.
  [[nodiscard]] bool busy(bool takes) const {
    return routers_.any_active() || shows_ || to_slot_.has_value() || slot_credit_ || (takes && receiver_.busy());
  }

  /// One clock edge. @param sent the flit of the slot, if there is one and has room. @param taken the word is taken.
  void clock(const DirectInput& direct, const Flit* sent, bool taken) {
    for (unsigned rest = direct.switched; rest != 0; rest &= rest - 1) {
      const auto port = static_cast<unsigned>(std::countr_zero(rest));
      if (port >= ports_) break;
      const StreamLink& link = direct.links[port].stream;
      if (link.valid) routers_.receive(channel(port), {.data = link.data, .last = link.last});
      if (link.credit) routers_.credit(channel(port));
    }
    if (sent != nullptr) routers_.receive(channel(ports_), {.data = sent->data, .last = sent->last});
    if (taken) routers_.credit(channel(ports_));
    room_.clock(sent != nullptr, slot_credit_);
    receiver_.clock(taken, to_slot_ ? &*to_slot_ : nullptr);
    show();
  }

 private:
  static NodeParameters of_one_channel(NodeParameters parameters) {
    parameters.num_slots = 1;
    parameters.num_classes = 1;
    parameters.num_routes = 0;
    parameters.dateline = 0;
    parameters.direct_links = 0;
    return parameters;
  }
  /// No dimension wraps, so its size does not matter.
  static NodePlace place_of(const NodeParameters& parameters, NodeId node) {
    return {.node_id = node.value,
            .radix = std::vector<std::uint16_t>(parameters.dims),
            .wrap = std::vector<bool>(parameters.dims)};
  }
  [[nodiscard]] std::uint32_t channel(unsigned port) const { return routers_.channel(0, port, 0); }

  /// What the router shows in the next cycle.
  void show() {
    const RouterNumbers& numbers = routers_.plan().numbers;
    if (shows_) links_ = {};
    shows_ = false;
    to_slot_.reset();
    slot_credit_ = false;
    routers_.send(
        [&](std::uint32_t channel, const BufferedWord& word) {
          const unsigned port = numbers.port(channel);
          if (port == ports_) {
            to_slot_ = {.vc = 0, .last = word.last, .data = word.data};
            return;
          }
          StreamLink& link = links_[port];
          link.valid = shows_ = true;
          link.last = word.last;
          link.data = word.data;
        },
        [&](std::uint32_t channel) {
          const unsigned port = numbers.port(channel);
          if (port == ports_) {
            slot_credit_ = true;
          } else {
            links_[port].credit = shows_ = true;
          }
        },
        [](std::uint32_t, const BufferedWord&) {});
  }

  Routers routers_;
  unsigned ports_;  ///< to neighbours; the slot's is the one after them
  CreditCounter room_;
  SlotReceiver receiver_;
  StreamLinks links_{};
  bool shows_ = false;           ///< anything in `links_`
  std::optional<Flit> to_slot_;  ///< from the router
  bool slot_credit_ = false;     ///< likewise
};

}  // namespace tidings::cycle
