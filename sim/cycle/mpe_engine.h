// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_engine.h
/// Twin of rtl/engine/mpe_engine.sv: the message passing engine as an engine of a slot, with registers, taps and lane.
#include <array>
#include <cstdint>
#include <optional>

#include "sim/cycle/credit_counter.h"
#include "sim/cycle/engine.h"
#include "sim/cycle/mpe.h"
#include "sim/cycle/mpe_registers.h"
#include "sim/cycle/slot_tap.h"

namespace tidings::cycle {

/// What a router tells a slot of direct links in one cycle.
struct DirectInput {
  std::uint8_t tapped = 0;           ///< network ports through which neighbour packets bring a flit, one bit each
  bool lane_credit = false;          ///< room for one more flit on the lane
  std::array<Flit, kMaxLinks> taps;  ///< the flits

  [[nodiscard]] bool any() const { return tapped != 0 || lane_credit; }
};

class MpeEngine : public SlotEngine {
 public:
  MpeEngine(const MpeParameters& parameters, NodeId node, SlotId slot);

  [[nodiscard]] EngineOutputs outputs(const ReceivedWords& rx) const override;
  [[nodiscard]] bool busy() const override { return mpe_.busy(registers_.links()); }
  [[nodiscard]] Flit flit(unsigned message_class) const override;
  [[nodiscard]] std::uint32_t read_address() const override { return mpe_.memory_read_address(); }
  [[nodiscard]] MemoryWrite write() const override { return mpe_.memory_write(); }
  [[nodiscard]] std::uint32_t read_register(std::uint16_t address) const override {
    return registers_.read(address, mpe_.completed(), mpe_.error());
  }
  void clock(const EngineInputs& inputs) override;

  /// A collective is complete.
  [[nodiscard]] bool done() const { return mpe_.done(); }
  /// What goes to the router over the lane.
  [[nodiscard]] std::optional<Flit> lane() const {
    return lane_credits_.available() ? mpe_.lane(registers_.links()) : std::nullopt;
  }
  /// What the next clock edge finds at the direct links.
  /// @param lane_taken a flit has gone over the lane.
  void take_direct(const DirectInput& direct, bool lane_taken) {
    direct_ = &direct;
    lane_taken_ = lane_taken;
  }

 private:
  MpeRegisters registers_;
  Mpe mpe_;
  std::array<SlotTap, kMaxLinks> taps_;
  MpeInputs inputs_;  ///< of the last clock edge
  CreditCounter lane_credits_;
  unsigned flits_ = 0;  ///< taps that had a flit at the last clock edge, one bit each
  const DirectInput* direct_ = nullptr;
  bool lane_taken_ = false;
};

}  // namespace tidings::cycle
