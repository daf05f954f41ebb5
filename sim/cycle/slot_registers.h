// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot_registers.h
/// Twin of rtl/engine/slot_registers.sv and of the block that is generated from rtl/regs/common.rdl.
#include <algorithm>
#include <cstdint>

#include "generated/engines.h"
#include "generated/registers.h"
#include "sim/cycle/route_table.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// What the engines show to software in one cycle, one bit each.
struct SlotStatus {
  std::uint32_t waiting = 0;  ///< there is something for software
  std::uint32_t idle = 0;     ///< there is nothing to do and to wait for

  bool operator==(const SlotStatus&) const = default;
};

/// What happened in one cycle.
struct SlotEvents {
  std::uint32_t done = 0;  ///< engines that have completed what software waits for, one bit each
  bool failed = false;
  bool route_error = false;

  [[nodiscard]] bool any() const { return done != 0 || failed || route_error; }
};

class SlotRegisters {
 public:
  /// @param static_flits flits of the longest packet on a route that forks.
  SlotRegisters(const NodeParameters& parameters, Engines engines, std::uint32_t static_flits, NodeId node,
                SlotId slot);

  [[nodiscard]] bool busy() const { return valid_ || read_valid_; }
  [[nodiscard]] bool bus_read_valid() const { return read_valid_; }
  [[nodiscard]] std::uint32_t bus_read_data() const { return read_data_; }
  /// Software has enabled interrupts.
  [[nodiscard]] bool interrupts() const { return irq_enable_ != 0; }
  [[nodiscard]] bool interrupt(const SlotStatus& status) const { return (causes(status) & irq_enable_) != 0; }
  /// Software changes a static route.
  [[nodiscard]] bool route_valid() const { return writes(registers::Route::kAddress); }
  [[nodiscard]] RouteWrite route() const { return RouteWrite::decode(bus_.data); }

  /// The access that takes effect in this cycle.
  [[nodiscard]] const BusRequest& access() const { return bus_; }
  /// The engine whose window it is to, there or not, if any: one bit by its number.
  [[nodiscard]] Engines addressed_engine() const { return valid_ ? engine_of_window(bus_.address) : 0; }

  /// One clock edge. Costs next to nothing while nobody has anything to say.
  /// @param bus the access that arrives, if any.
  /// @param status what the engines showed before the edge.
  /// @param engine_data what the addressed engine's register shows.
  void clock(const BusRequest* bus, const SlotStatus& status, const SlotEvents& events, std::uint32_t engine_data) {
    if (busy() || bus != nullptr || events.any()) edge(bus, status, events, engine_data);
  }

 private:
  void edge(const BusRequest* bus, const SlotStatus& status, const SlotEvents& events, std::uint32_t engine_data);
  [[nodiscard]] static Engines engine_of_window(std::uint16_t address) {
    constexpr unsigned kFirstWindow = 1;  // of engine 0: what is below is everybody's
    constexpr unsigned kLast = 31;        // stands for all above it: no such engine is there
    const unsigned window = address / tidings_pkg::kEngineWindow;
    return window < kFirstWindow ? 0 : Engines{1} << std::min(window - kFirstWindow, kLast);
  }
  [[nodiscard]] bool writes(std::uint16_t address) const { return valid_ && bus_.write && bus_.address == address; }
  [[nodiscard]] std::uint32_t causes(const SlotStatus& status) const;
  [[nodiscard]] std::uint32_t read(std::uint16_t address, const SlotStatus& status) const;
  void write(std::uint16_t address, std::uint32_t data);

  NodeParameters parameters_;
  Engines engines_;
  std::uint32_t static_flits_;
  NodeId node_;
  SlotId slot_;
  bool valid_ = false;
  BusRequest bus_;
  bool read_valid_ = false;
  std::uint32_t read_data_ = 0;

  registers::IrqStatus irq_sticky_;  ///< only the causes that stay
  std::uint32_t irq_enable_ = 0;
  std::uint32_t route_ = 0;  ///< as last written
};

}  // namespace tidings::cycle
