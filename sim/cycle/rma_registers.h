// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file rma_registers.h
/// Twin of rtl/engine/rma_registers.sv and of the block that is generated from rtl/regs/rma.rdl.
#include <array>
#include <cstdint>
#include <span>

#include "generated/registers.h"
#include "sim/cycle/rma_initiator.h"
#include "sim/cycle/rma_pkg.h"
#include "sim/cycle/rma_target.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

class RmaRegisters {
 public:
  explicit RmaRegisters(const NodeParameters& parameters) : parameters_(parameters) {}

  [[nodiscard]] std::span<const RmaRegion> regions() const {
    return std::span(regions_).first(parameters_.rma_regions);
  }
  [[nodiscard]] const RmaQueue& queue() const { return queue_; }
  /// An access queues a command.
  [[nodiscard]] static bool is_command(const BusRequest* bus) { return writes<registers::RmaCommand>(bus); }
  /// The command.
  [[nodiscard]] RmaCommand command(std::uint32_t written) const;
  /// An access clears the error.
  [[nodiscard]] static bool clears_error(const BusRequest* bus) {
    return writes<registers::RmaError>(bus) && registers::RmaError::decode(bus->data).clear;
  }
  /// An access asks something of the names.
  [[nodiscard]] static bool is_name_command(const BusRequest* bus) { return writes<registers::RmaNameCommand>(bus); }
  /// What it asks.
  [[nodiscard]] NameCommand name_command(std::uint32_t written) const;
  /// A command of the names was dropped.
  void set_name_lost() { name_lost_ = true; }
  [[nodiscard]] std::uint32_t read(std::uint16_t address, const RmaInitiator& initiator, const RmaTarget& target,
                                   const NameResult& name) const;
  /// The clock edge of a write.
  void write(std::uint16_t address, std::uint32_t data);

 private:
  template <typename Register>
  [[nodiscard]] static bool writes(const BusRequest* bus) {
    return bus != nullptr && bus->write && bus->address == Register::kAddress;
  }

  NodeParameters parameters_;
  RmaQueue queue_;
  RmaCommand command_;  ///< as last written: operation and notify do not count
  std::uint32_t command_word_ = 0;
  std::uint32_t name_base_ = 0;
  std::uint32_t name_length_ = 0;
  std::uint32_t name_word_ = 0;
  bool name_lost_ = false;
  std::array<RmaRegion, kMaxRegions> regions_{};
};

}  // namespace tidings::cycle
