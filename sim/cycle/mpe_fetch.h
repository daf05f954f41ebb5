// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_fetch.h
/// Twin of rtl/engine/mpe_fetch.sv.
#include <cstdint>

#include "sim/cycle/fifo.h"

namespace tidings::cycle {

/// Reads this node's contribution from memory into a small buffer, ahead of its consumer.
class MpeFetch {
 public:
  struct Inputs {
    bool start = false;
    bool stop = false;
    std::uint32_t address = 0;
    std::uint32_t words = 0;
    bool memory_read_ready = false;
    bool memory_data_valid = false;
    std::uint32_t memory_data = 0;
    bool pop = false;
  };

  [[nodiscard]] bool memory_read_valid() const { return left_ != 0 && reserved_ < kDepth; }
  [[nodiscard]] std::uint32_t memory_read_address() const { return address_ << 2; }
  [[nodiscard]] bool valid() const { return !buffer_.empty(); }
  [[nodiscard]] std::uint32_t data() const { return buffer_.front(); }
  [[nodiscard]] bool done() const { return left_ == 0 && reserved_ == 0; }
  [[nodiscard]] bool active() const { return memory_read_valid() || reserved_ != buffer_.count(); }

  void clock(const Inputs& inputs);
  /// The same without start and stop.
  void flow(bool memory_read_ready, bool memory_data_valid, std::uint32_t memory_data, bool pops) {
    if (memory_read_valid() && memory_read_ready) {
      ++address_;
      --left_;
      ++reserved_;
    }
    if (pops) {
      --reserved_;
      buffer_.pop();
    }
    if (memory_data_valid) buffer_.push(memory_data);
  }

 private:
  static constexpr std::uint32_t kDepth = 64;

  Fifo<std::uint32_t> buffer_{kDepth};
  std::uint32_t left_ = 0;
  std::uint32_t address_ = 0;   ///< words; its upper two bits do not count
  std::uint32_t reserved_ = 0;  ///< words asked for and not yet taken
};

}  // namespace tidings::cycle
