// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file alltoall_engine.h
/// Twin of rtl/engine/alltoall_engine.sv: all-to-alls over the static switch of a router.
#include <array>
#include <cstdint>

#include "generated/registers.h"
#include "sim/cycle/alltoall_addresses.h"
#include "sim/cycle/engine.h"
#include "sim/cycle/static_switch.h"
#include "sim/cycle/switch_sum.h"

namespace tidings::cycle {

class AlltoallEngine : public SlotEngine {
 public:
  explicit AlltoallEngine(const NodeParameters& parameters);

  void show(const ReceivedWords& rx, std::uint32_t rx_valid, const BusRequest* bus,
            EngineOutputs& shown) const override;
  [[nodiscard]] bool takes(unsigned, const ReceivedWord&, std::uint32_t, bool) const override { return true; }
  [[nodiscard]] bool busy() const override;
  [[nodiscard]] Flit flit(unsigned, const BusRequest*) const override { return {}; }
  [[nodiscard]] std::uint32_t read_address(unsigned, const BusRequest*) const override { return send_.address(); }
  void write(unsigned, const ReceivedWords&, MemoryWrite& shown) const override;
  [[nodiscard]] std::uint32_t read_register(std::uint16_t address) const override;
  EngineReport clock(const EngineInputs& inputs) override;

 private:
  static constexpr std::uint32_t kReceived = 2;  ///< words from the switch that wait for memory

  [[nodiscard]] bool read_valid() const { return send_.valid() && room_ != 0; }
  [[nodiscard]] bool write_valid() const { return !received_.empty() && receive_.valid(); }
  [[nodiscard]] bool complete() const {
    return active_ && !send_.running() && !switch_.running() && !receive_.running() && !sum_.running();
  }
  /// The switch has the sides of an order, or the order is none of its.
  [[nodiscard]] bool has_order(std::uint32_t number) const;
  /// What register `sums` asks for can be combined, in blocks of N words.
  [[nodiscard]] bool sum_possible(std::uint32_t words) const;
  /// The order of a number.
  OrderTable& order(std::uint32_t number);
  void write_register(std::uint16_t address, std::uint32_t data);

  std::uint32_t entries_;
  std::uint32_t adders_;
  unsigned ports_;           ///< of the switch
  std::uint32_t sides_;      ///< that it has, one bit each
  std::uint32_t slot_room_;  ///< words that are read ahead of the switch
  bool wide_elements_;
  StaticSwitch switch_;
  SwitchSum sum_;
  StaticSwitch::Sums sums_;  ///< what is combined since the last start
  AlltoallAddresses send_;
  AlltoallAddresses receive_;
  Fifo<std::uint32_t> received_{kReceived};
  std::uint32_t room_ = slot_room_;
  std::uint32_t words_ = 0;
  bool active_ = false;
  bool done_ = false;    ///< complete in the last cycle
  bool failed_ = false;  ///< something has gone wrong in the last cycle
  registers::AlltoallSource source_;
  registers::AlltoallDestination destination_;
  registers::AlltoallStart start_;  ///< as last written
  registers::AlltoallError error_;
  registers::AlltoallPlace place_;
  registers::AlltoallSums written_sum_;
  std::array<registers::AlltoallLength, tidings_pkg::kAlltoallOrders> lengths_;
  registers::AlltoallEntries written_entries_;  ///< as last written
};

}  // namespace tidings::cycle
