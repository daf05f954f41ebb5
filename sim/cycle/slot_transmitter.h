// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot_transmitter.h
/// Twin of rtl/engine/slot_transmitter.sv: puts the packets of a slot's engines on the router.
#include <array>
#include <cstdint>

#include "generated/node_parameters.h"
#include "sim/cycle/arbiter.h"
#include "sim/cycle/credit_counter.h"
#include "sim/cycle/fifo.h"
#include "sim/cycle/slot_packet_mux.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

class SlotTransmitter {
 public:
  static constexpr unsigned kClasses = 2;

  explicit SlotTransmitter(const NodeParameters& node)
      : classes_{Class(node.slot_buffer_flits), Class(node.slot_buffer_flits)},
        replies_first_(node.replies_first != 0),
        whole_packets_(node.whole_packets != 0) {}

  /// The source of a class whose flit is taken in this cycle, one-hot or zero.
  [[nodiscard]] std::uint32_t ready(unsigned message_class, std::uint32_t valid) const {
    const Class& c = classes_[message_class];
    return c.flits.full() ? 0 : c.mux.source(valid);
  }
  /// The class whose flit leaves in this cycle, one-hot or zero.
  [[nodiscard]] std::uint32_t leaving() const { return arbiter_.grant(requests()); }
  /// The flit of that class.
  [[nodiscard]] const Flit& flit(std::uint32_t leaving) const { return classes_[leaving >> 1].flits.front(); }

  /// Part of a clock edge: flits leave and credits come in.
  void clock(std::uint32_t leaving, std::uint8_t credits) {
    arbiter_.accept(leaving);
    if (whole_packets_ && leaving != 0) begun_ = flit(leaving).last ? 0 : leaving;
    for (unsigned c = 0; c < kClasses; ++c) {
      const bool leaves = (leaving >> c & 1U) != 0;
      if (leaves) classes_[c].flits.pop();
      classes_[c].credits.clock(leaves, (credits >> c & 1U) != 0);
    }
  }
  /// The rest of it: the flit of a source is taken.
  void take(unsigned message_class, std::uint32_t source, const Flit& flit) {
    Class& c = classes_[message_class];
    c.mux.take(source, flit.last);
    c.flits.push({.vc = static_cast<std::uint8_t>(message_class), .last = flit.last, .data = flit.data});
  }

 private:
  struct Class {
    explicit Class(std::uint32_t buffer_flits) : flits(buffer_flits), credits(buffer_flits) {}
    SlotPacketMux mux;
    Fifo<Flit> flits;
    CreditCounter credits;
  };

  [[nodiscard]] std::uint32_t requests() const {
    std::uint32_t requests = 0;
    for (unsigned c = 0; c < kClasses; ++c) {
      if (!classes_[c].flits.empty() && classes_[c].credits.available()) requests |= 1U << c;
    }
    constexpr std::uint32_t kReplies = 2;
    if (replies_first_ && (requests & kReplies) != 0) return kReplies;
    return (requests & begun_) != 0 ? requests & begun_ : requests;
  }

  std::array<Class, kClasses> classes_;
  bool replies_first_;
  bool whole_packets_;
  std::uint32_t begun_ = 0;  ///< with whole packets: the class whose packet left last, unless its tail has left
  Arbiter arbiter_;
};

}  // namespace tidings::cycle
