// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_registers.h
/// Twin of rtl/engine/mpe_registers.sv and of the block that is generated from rtl/regs/mpe.rdl.
#include <array>
#include <cstdint>

#include "generated/registers.h"
#include "sim/cycle/mpe_pkg.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

class MpeRegisters {
 public:
  explicit MpeRegisters(const MpeParameters& parameters) : parameters_(parameters) {}

  [[nodiscard]] MpeLinks links() const { return links_; }
  /// An access hands the engine a command.
  [[nodiscard]] static bool is_command(const BusRequest* bus) {
    return bus != nullptr && bus->write && bus->address == registers::MpeCommand::kAddress;
  }
  /// The command.
  [[nodiscard]] MpeCommand command(std::uint32_t word) const;
  [[nodiscard]] std::uint32_t read(std::uint16_t address, std::uint32_t completed, const MpeError& error) const;
  /// The clock edge of a write.
  void write(std::uint16_t address, std::uint32_t data);

 private:
  MpeParameters parameters_;
  MpeCommand command_;  ///< source, destination, count and descriptor count
  std::uint32_t command_word_ = 0;
  std::array<MpeLink, std::size_t{kMaxContexts} * kMaxLinks> links_{};
};

}  // namespace tidings::cycle
