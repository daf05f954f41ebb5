// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file order_table.h
/// Twin of rtl/network/order_table.sv: an order that something is done in, gone through a number of times.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "generated/tidings_pkg.h"

namespace tidings::cycle {

class OrderTable {
 public:
  /// @param entries at most, a power of two. @param width bits of an entry.
  OrderTable(std::uint32_t entries, unsigned width)
      : entries_(std::max(entries, tidings_pkg::kWordWidth / width)), last_(entries - 1), width_(width) {}

  /// Set the entries of a word of the table; those beyond it are left out.
  void write(std::uint32_t row, std::uint32_t word) {
    const std::uint32_t per_word = tidings_pkg::kWordWidth / width_;
    if (row >= entries_.size() / per_word) return;
    for (std::uint32_t i = 0; i < per_word; ++i) {
      entries_[row * per_word + i] = static_cast<std::uint8_t>(word >> i * width_ & ((1U << width_) - 1));
    }
  }
  void set_length(std::uint32_t length) { length_ = length; }

  /// Begin; the order is not under way.
  void start(std::uint32_t repetitions) {
    index_ = 0;
    left_ = length_ == 0 ? 0 : repetitions;
  }
  /// An entry shows.
  [[nodiscard]] bool valid() const { return left_ != 0; }
  [[nodiscard]] std::uint32_t entry() const { return entries_[index_]; }
  /// It is the last one of a repetition.
  [[nodiscard]] bool last() const { return index_ + 1 >= length_; }
  /// It is done with.
  void next() {
    const bool again = last();
    // An order that is longer than its table goes around in it, as the RTL's index does.
    index_ = again ? 0 : (index_ + 1) & last_;
    if (again) --left_;
  }

 private:
  std::vector<std::uint8_t> entries_;  ///< whole words of them
  std::uint32_t last_;                 ///< index of the last one that an order can have
  unsigned width_;
  std::uint32_t length_ = 0;
  std::uint32_t index_ = 0;
  std::uint32_t left_ = 0;  ///< repetitions
};

}  // namespace tidings::cycle
