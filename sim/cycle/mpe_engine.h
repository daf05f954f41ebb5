// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_engine.h
/// Twin of rtl/engine/mpe_engine.sv: the message passing engine as an engine of a slot, with registers, taps and lane.
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "sim/cycle/credit_counter.h"
#include "sim/cycle/engine.h"
#include "sim/cycle/mpe.h"
#include "sim/cycle/mpe_registers.h"
#include "sim/cycle/slot_tap.h"

namespace tidings::cycle {

class MpeEngine final : public SlotEngine {
 public:
  MpeEngine(const SlotParameters& parameters, NodeId node, SlotId slot);

  void show(const ReceivedWords& rx, std::uint32_t rx_valid, const BusRequest* bus,
            EngineOutputs& shown) const override;
  /// The same.
  [[gnu::always_inline]] void show(EngineOutputs& shown) const;
  /// The engine takes words and credits without their headers.
  [[nodiscard]] bool takes(unsigned message_class, const ReceivedWord& word, std::uint32_t, bool) const override {
    return message_class != kClassRequest || word.place != Place::kPayload || mpe_.rx_ready();
  }
  [[nodiscard]] bool busy() const override { return mpe_.busy(registers_.links()); }
  [[nodiscard]] Flit flit(unsigned message_class, const BusRequest* bus) const override;
  [[nodiscard]] std::uint32_t read_address(unsigned, const BusRequest*) const override {
    return mpe_.memory_read_address();
  }
  void write(unsigned, const ReceivedWords&, MemoryWrite& shown) const override { mpe_.show_write(shown); }
  [[nodiscard]] std::uint32_t read_register(std::uint16_t address) const override {
    return registers_.read(address, mpe_.completed(), mpe_.error());
  }
  EngineReport clock(const EngineInputs& inputs) override;

  /// The next clock edge does no more than `flow`, unless there is an access, or a word of a packet from the router.
  [[nodiscard]] bool flows() const { return mpe_.flows(); }
  /// In such a cycle what `clock` does. @param inputs but for what the tap has.
  [[gnu::always_inline]] void flow(MpeFlow inputs, const DirectInput& direct);

 private:
  static constexpr unsigned kAllTaps = (1U << kMaxLinks) - 1;

  MpeEngine(const MpeParameters& parameters, NodeId node, SlotId slot);

  /// Words of packets enter the engine in this cycle.
  void receive(const EngineInputs& inputs);

  MpeRegisters registers_;
  Mpe mpe_;
  std::array<SlotTap, kMaxLinks> taps_;
  MpeInputs inputs_;  ///< of the last clock edge
  CreditCounter lane_credits_;
  unsigned flits_ = 0;  ///< taps that may have had a flit since `inputs_` says what they bring, one bit each
};

inline void MpeEngine::show(EngineOutputs& shown) const {
  shown.tx_valid = (mpe_.request_valid() ? 1U << kClassRequest : 0) | (mpe_.reply_valid() ? 1U << kClassReply : 0);
  shown.read_valid = mpe_.memory_read_valid() ? 1U : 0;
  shown.write_valid = mpe_.memory_write_valid() ? 1U : 0;
  if (lane_credits_.available()) {
    shown.lane = mpe_.lane(registers_.links());
  } else {
    shown.lane.reset();
  }
}

inline void MpeEngine::flow(MpeFlow inputs, const DirectInput& direct) {
  const SlotTap& parents = taps_[mpe_.parents_tap()];
  inputs.tap_context = parents.context();
  inputs.tap_left = parents.left();
  mpe_.flow(inputs, registers_.links());
  for (unsigned rest = direct.tapped; rest != 0; rest &= rest - 1) {
    const auto link = static_cast<unsigned>(std::countr_zero(rest));
    SlotTap& tap = taps_[link];
    if (tap.inside_packet()) mpe_.take_tapped(tap.context(), link, direct.taps[link].data);
    tap.take(direct.taps[link]);
  }
  lane_credits_.clock(inputs.lane_ready, direct.lane_credit);
  flits_ = kAllTaps;
}

}  // namespace tidings::cycle
