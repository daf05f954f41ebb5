// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot_memory.h
/// Twin of rtl/engine/slot_memory.sv: shares the memory port of a slot among its engines.
#include <cstdint>

#include "sim/cycle/arbiter.h"
#include "sim/cycle/fifo.h"

namespace tidings::cycle {

class SlotMemory {
 public:
  /// Sources whose read is taken in this cycle, one-hot or zero.
  [[nodiscard]] std::uint32_t read_ready(std::uint32_t valid) const { return tags_.full() ? 0 : reads_.grant(valid); }
  /// Sources whose write is taken in this cycle, one-hot or zero.
  [[nodiscard]] std::uint32_t write_ready(std::uint32_t valid) const { return writes_.grant(valid); }
  /// The source that a word from memory answers, one-hot.
  [[nodiscard]] std::uint32_t data_valid(bool memory_data_valid) const { return memory_data_valid ? tags_.front() : 0; }

  /// One clock edge.
  void clock(std::uint32_t read_ready, std::uint32_t write_ready, bool memory_data_valid) {
    reads_.accept(read_ready);
    writes_.accept(write_ready);
    if (memory_data_valid) tags_.pop();
    if (read_ready != 0) tags_.push(read_ready);
  }

 private:
  static constexpr std::uint32_t kReadsInFlight = 64;

  Arbiter reads_;
  Arbiter writes_;
  Fifo<std::uint32_t> tags_{kReadsInFlight};
};

}  // namespace tidings::cycle
