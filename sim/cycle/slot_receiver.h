// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot_receiver.h
/// Twin of rtl/engine/slot_receiver.sv: packets of one class, on their way from the router to the engines.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "generated/engine_pkg.h"
#include "generated/engines.h"
#include "sim/cycle/fifo.h"
#include "sim/cycle/tidings_pkg.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

using namespace engine_pkg;

/// A word of a packet that is offered to an engine.
struct ReceivedWord {
  bool valid = false;
  std::uint32_t data = 0;
  bool last = false;
  Place place = Place::kHeader0;
  NodeId source;              ///< router that sent the packet; of the words after the first
  std::uint32_t header1 = 0;  ///< second header word; of the words after the first
};

class SlotReceiver {
 public:
  /// @param engines of the slot: packets for one that is not there go to rma, which refuses them.
  SlotReceiver(std::uint32_t buffer_flits, Engines engines) : flits_(buffer_flits), engines_(engines) {}

  [[nodiscard]] bool busy() const { return !flits_.empty(); }
  /// The word that is offered in this cycle.
  [[nodiscard]] ReceivedWord word() const {
    if (flits_.empty()) return {};
    const std::uint32_t data = shown();
    return {.valid = true,
            .data = data,
            .last = flits_.front().last,
            .place = place_,
            .source = source_,
            .header1 = place_ == Place::kHeader1 ? data : header1_};
  }
  /// The engine that it is offered to.
  [[nodiscard]] Engine engine() const {
    if (place_ != Place::kHeader0) return engine_;
    const Engine engine = engine_of(kind_of(shown()));
    return (engines_ & engine_bit(engine)) != 0 ? engine : Engine::kRma;
  }

  /// The oldest word is payload, and neither it nor any behind it is a tail.
  [[nodiscard]] bool inside_packet() const {
    if (place_ != Place::kPayload) return false;
    for (std::uint32_t i = 0; i < flits_.count(); ++i) {
      if (flits_[i].last) return false;
    }
    return true;
  }

  /// A clock edge inside a packet: the word of payload that is offered is taken. It is no tail.
  void take_payload() { flits_.pop(); }
  /// A flit arrives at a clock edge, after what is taken at it.
  void arrive(const Flit& flit) { flits_.push(flit); }
  /// The word of payload that is offered in this cycle.
  [[nodiscard]] const Flit& payload() const { return flits_.front(); }

  /// One clock edge; `arrival` points to the flit that arrives, if any. @param pop the word is taken.
  void clock(bool pop, const Flit* arrival) {
    if (pop) {
      const Flit& flit = flits_.front();
      engine_ = engine();
      if (place_ == Place::kHeader0) source_ = Header0::decode(flit.data).src_node;
      if (place_ == Place::kHeader1) header1_ = flit.data;
      if (flit.last) {
        place_ = Place::kHeader0;
      } else {
        place_ = place_ == Place::kHeader0 ? Place::kHeader1 : Place::kPayload;
      }
      flits_.pop();
    }
    if (arrival != nullptr) flits_.push(*arrival);
  }
  /// Several clock edges inside a packet: at each a word is taken, and one arrives that is no tail.
  /// @param shown what is offered after each.
  void clock_inside(std::span<const std::uint32_t> arrivals, std::span<std::uint32_t> shown) {
    Flit flit = flits_.front();
    const std::size_t behind = std::min<std::size_t>(flits_.count() - 1, arrivals.size());
    for (std::size_t i = 0; i < behind; ++i) shown[i] = flits_[static_cast<std::uint32_t>(i) + 1].data;
    std::ranges::copy(arrivals.first(arrivals.size() - behind), shown.begin() + static_cast<std::ptrdiff_t>(behind));
    // What stays is the newest.
    const std::size_t past = arrivals.size() - std::min<std::size_t>(flits_.count(), arrivals.size());
    flits_.pop(static_cast<std::uint32_t>(arrivals.size() - past));
    for (const std::uint32_t word : arrivals.subspan(past)) {
      flit.data = word;
      flits_.push(flit);
    }
  }

 private:
  static constexpr std::uint32_t kStaticBit = 4U << Header0::kKindField.lsb;  ///< as in is_static()

  /// A static packet has reached what it is for, and is from here on like others of its kind.
  [[nodiscard]] std::uint32_t shown() const {
    const std::uint32_t word = flits_.front().data;
    return place_ == Place::kHeader0 && is_static(kind_of(word)) ? word & ~kStaticBit : word;
  }

  Fifo<Flit> flits_;
  Engines engines_;
  Place place_ = Place::kHeader0;
  Engine engine_ = Engine::kRma;
  NodeId source_;
  std::uint32_t header1_ = 0;
};

}  // namespace tidings::cycle
