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
    return tags_.empty() || (tags_.count() <= alike_ && (newest_ & ~sources) == 0);
  }
  /// Several clock edges in which one source reads, and words come that it has asked for.
  void clock_reads(std::uint32_t source, std::uint32_t reads, std::uint32_t answers) {
    if (reads != 0) reads_.accept(source);
    tags_.pop(answers);
    for (std::uint32_t i = 0; i < reads; ++i) tag(source);
  }
  /// Several in which one source writes.
  void clock_writes(std::uint32_t source) { writes_.accept(source); }

  /// One clock edge.
  void clock(std::uint32_t read_ready, std::uint32_t write_ready, bool memory_data_valid) {
    reads_.accept(read_ready);
    writes_.accept(write_ready);
    if (memory_data_valid) tags_.pop();
    if (read_ready != 0) tag(read_ready);
  }

 private:
  static constexpr std::uint32_t kReadsInFlight = 64;

  /// A source has asked for a word.
  void tag(std::uint32_t source) {
    alike_ = source == newest_ ? alike_ + 1 : 1;
    newest_ = source;
    tags_.push(source);
  }

  Arbiter reads_;
  Arbiter writes_;
  Fifo<std::uint32_t> tags_{kReadsInFlight};
  std::uint32_t newest_ = 0;  ///< tag
  std::uint32_t alike_ = 0;   ///< tags, the newest and those before it, that are the same
};

}  // namespace tidings::cycle
