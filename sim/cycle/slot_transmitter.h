// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot_transmitter.h
/// Twin of rtl/engine/slot_transmitter.sv: puts the packets of a slot's engines on the router.
#include <array>
#include <cstdint>

#include "generated/engines.h"
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
  /// The class whose flit leaves in this cycle, one-hot or zero. @param sent_by by class, as `ready` says.
  [[nodiscard]] std::uint32_t leaving(const std::array<std::uint32_t, kClasses>& sent_by) const {
    return arbiter_.grant(requests(sent_by));
  }
  /// The flit that leaves goes past the FIFO of its class: it is the one that is taken.
  [[nodiscard]] bool goes_past(std::uint32_t leaving) const {
    return leaving != 0 && classes_[leaving >> 1].flits.empty();
  }
  /// Otherwise the flit of that class.
  [[nodiscard]] const Flit& flit(std::uint32_t leaving) const { return classes_[leaving >> 1].flits.front(); }

  /// Nothing waits in the FIFOs.
  [[nodiscard]] bool empty() const { return classes_[0].flits.empty() && classes_[1].flits.empty(); }
  /// Room downstream, with the place of the flit that leaves in this cycle.
  [[nodiscard]] std::uint32_t credits(unsigned message_class) const { return classes_[message_class].credits.count(); }
  /// As many clock edges in each of which a flit that is no tail goes past the FIFO of its class, and a credit comes
  /// in, if any does.
  void clock_past(unsigned message_class, std::uint32_t source, bool credit, std::uint32_t edges) {
    if (edges == 0) return;
    clock(1U << message_class, false, static_cast<std::uint8_t>(credit ? 1U << message_class : 0));
    classes_[message_class].mux.take(source, false);
    classes_[message_class].credits.clock(true, credit, edges - 1);
  }

  /// The clock edge of a cycle in which no FIFO holds a flit, a flit in the middle of a packet goes past that of its
  /// class, if any, and a credit of this class comes in, if any.
  void clock_word(unsigned message_class, bool leaves, bool credit) {
    if (leaves) {
      arbiter_.accept(1U << message_class);
      if (whole_packets_) begun_ = 1U << message_class;
    }
    classes_[message_class].credits.clock(leaves, credit);
  }

  /// Part of a clock edge: a flit leaves and credits come in. @param last it is the tail of its packet.
  void clock(std::uint32_t leaving, bool last, std::uint8_t credits) {
    arbiter_.accept(leaving);
    if (whole_packets_ && leaving != 0) begun_ = last ? 0 : leaving;
    for (unsigned c = 0; c < kClasses; ++c) {
      const bool leaves = (leaving >> c & 1U) != 0;
      if (leaves && !classes_[c].flits.empty()) classes_[c].flits.pop();
      classes_[c].credits.clock(leaves, (credits >> c & 1U) != 0);
    }
  }
  /// The rest of it: the flit of a source is taken. @param left it has gone past the FIFO.
  void take(unsigned message_class, std::uint32_t source, const Flit& flit, bool left) {
    Class& c = classes_[message_class];
    c.mux.take(source, flit.last);
    if (left) return;
    c.flits.push({.vc = static_cast<std::uint8_t>(message_class), .last = flit.last, .data = flit.data});
  }

 private:
  struct Class {
    explicit Class(std::uint32_t buffer_flits) : flits(buffer_flits), credits(buffer_flits) {}
    SlotPacketMux mux;
    Fifo<Flit> flits;
    CreditCounter credits;
  };

  /// Engines whose flits are early enough in the cycle to leave in it.
  static constexpr std::uint32_t kDirect = 1U << static_cast<unsigned>(Engine::kRma);

  [[nodiscard]] std::uint32_t requests(const std::array<std::uint32_t, kClasses>& sent_by) const {
    std::uint32_t requests = 0;
    for (unsigned c = 0; c < kClasses; ++c) {
      const bool waits = !classes_[c].flits.empty() || (sent_by[c] & kDirect) != 0;
      if (waits && classes_[c].credits.available()) requests |= 1U << c;
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
