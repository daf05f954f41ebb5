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

  /// All words that are asked for are for these sources.
  [[nodiscard]] bool reads_only_for(std::uint32_t sources) const {
    for (std::uint32_t i = 0; i < tags_.count(); ++i) {
      if ((tags_[i] & ~sources) != 0) return false;
    }
    return true;
  }
  /// Several clock edges in which one source reads, and words come that it has asked for.
  void clock_reads(std::uint32_t source, std::uint32_t reads, std::uint32_t answers) {
    if (reads != 0) reads_.accept(source);
    for (std::uint32_t i = 0; i < answers; ++i) tags_.pop();
    for (std::uint32_t i = 0; i < reads; ++i) tags_.push(source);
  }
  /// Several in which one source writes.
  void clock_writes(std::uint32_t source) { writes_.accept(source); }

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
