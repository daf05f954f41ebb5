// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot_receiver.h
/// Twin of rtl/engine/slot_receiver.sv: packets of one class, on their way from the router to the engines.
#include <cstdint>

#include "sim/cycle/fifo.h"
#include "sim/cycle/rma_pkg.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// A word that is offered to rma.
struct ReceivedWord {
  bool valid = false;
  std::uint32_t data = 0;
  bool last = false;
};

class SlotReceiver {
 public:
  /// @param has_mpe packets for an engine that is not there go to rma, which refuses them.
  SlotReceiver(std::uint32_t buffer_flits, bool has_mpe) : flits_(buffer_flits), has_mpe_(has_mpe) {}

  [[nodiscard]] bool busy() const { return !flits_.empty(); }
  /// A static packet has reached what it is for, and is from here on like others of its kind.
  [[nodiscard]] std::uint32_t data() const {
    const std::uint32_t word = flits_.front().data;
    return state_ == State::kHeader0 && is_static(kind_of(word)) ? word & ~kStaticBit : word;
  }
  [[nodiscard]] ReceivedWord rma_word() const {
    if (flits_.empty() || mpe()) return {};
    return {.valid = true, .data = data(), .last = flits_.front().last};
  }
  [[nodiscard]] bool mpe_header_valid() const { return busy() && mpe() && state_ == State::kHeader1; }
  [[nodiscard]] bool mpe_payload_valid() const { return busy() && mpe() && state_ == State::kPayload; }
  /// Second header word of the packet under way.
  [[nodiscard]] Header1 header1() const { return Header1::decode(state_ == State::kHeader1 ? data() : header1_); }
  /// The oldest flit is taken in this cycle, and a credit leaves.
  [[nodiscard]] bool pop(bool rma_ready, bool mpe_ready) const {
    return busy() && (mpe() ? state_ != State::kPayload || mpe_ready : rma_ready);
  }

  /// One clock edge; `arrival` points to the flit that arrives, if any.
  void clock(bool pop, const Flit* arrival) {
    if (pop) {
      const Flit& flit = flits_.front();
      mpe_ = mpe();
      if (state_ == State::kHeader1) header1_ = flit.data;
      if (flit.last) {
        state_ = State::kHeader0;
      } else {
        state_ = state_ == State::kHeader0 ? State::kHeader1 : State::kPayload;
      }
      flits_.pop();
    }
    if (arrival != nullptr) flits_.push(*arrival);
  }

 private:
  enum class State : std::uint8_t { kHeader0, kHeader1, kPayload };
  static constexpr std::uint32_t kStaticBit = 4U << Header0::kKindField.lsb;  ///< as in is_static()

  /// The RTL's engine_of().
  static bool is_for_mpe(Kind kind) { return kind == Kind::kStream || kind == Kind::kCredit; }
  [[nodiscard]] bool mpe() const { return state_ == State::kHeader0 ? has_mpe_ && is_for_mpe(kind_of(data())) : mpe_; }

  Fifo<Flit> flits_;
  bool has_mpe_;
  State state_ = State::kHeader0;
  std::uint32_t header1_ = 0;
  bool mpe_ = false;
};

}  // namespace tidings::cycle
