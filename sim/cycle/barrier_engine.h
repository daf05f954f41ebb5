// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file barrier_engine.h
/// Twin of rtl/engine/barrier_engine.sv: barriers over wires between neighbouring routers, or the slots of one.
#include <array>
#include <cstdint>

#include "generated/registers.h"
#include "sim/cycle/barrier_gate.h"
#include "sim/cycle/barrier_group.h"
#include "sim/cycle/barrier_spoke.h"
#include "sim/cycle/engine.h"

namespace tidings::cycle {

class BarrierEngine : public SlotEngine {
 public:
  explicit BarrierEngine(const NodeParameters& parameters);

  void show(const ReceivedWords& rx, std::uint32_t rx_valid, const BusRequest* bus,
            EngineOutputs& shown) const override;
  [[nodiscard]] bool takes(unsigned, const ReceivedWord&, std::uint32_t, bool) const override { return true; }
  [[nodiscard]] bool busy() const override { return (!hub_ && tokens_ != 0) || failed_; }
  [[nodiscard]] Flit flit(unsigned, const BusRequest*) const override { return {}; }
  [[nodiscard]] std::uint32_t read_address(unsigned, const BusRequest*) const override { return 0; }
  void write(unsigned, const ReceivedWords&, MemoryWrite& shown) const override { shown = {}; }
  [[nodiscard]] std::uint32_t read_register(std::uint16_t address) const override;
  EngineReport clock(const EngineInputs& inputs) override;

 private:
  static constexpr unsigned kGroups = registers::BarrierGroup::kCount;

  [[nodiscard]] std::uint32_t arrived() const;
  void write(std::uint16_t address, std::uint32_t data);

  BarrierGate gate_;
  bool hub_;                                  ///< the slot is at a single router
  std::array<BarrierGroup, kGroups> groups_;  ///< between routers
  std::array<BarrierSpoke, kGroups> spokes_;  ///< at a hub
  std::array<registers::BarrierGroup, kGroups> settings_;
  std::uint32_t members_ = 0;  ///< groups that the slot is a member of, one bit each
  std::uint32_t done_ = 0;     ///< likewise: in which all members had arrived
  registers::BarrierEnable enable_;
  registers::BarrierError error_;
  registers::BarrierArrive written_arrive_;  ///< as last written
  std::uint32_t tokens_ = 0;                 ///< to neighbours, or to the hub
  std::uint64_t far_mates_ = 0;              ///< of the group that is written next, in their places
  BarrierMates mates_{};                     ///< of each group, for the hub
  bool failed_ = false;                      ///< something has gone wrong in the last cycle
};

}  // namespace tidings::cycle
