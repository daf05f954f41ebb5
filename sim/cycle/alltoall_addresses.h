// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file alltoall_addresses.h
/// Twin of rtl/engine/alltoall_addresses.sv: addresses of the words of an all-to-all, in the order of members.
#include <bit>
#include <cstdint>

#include "generated/tidings_pkg.h"
#include "sim/cycle/order_table.h"

namespace tidings::cycle {

class AlltoallAddresses {
 public:
  /// @param members at most, a power of two.
  explicit AlltoallAddresses(std::uint32_t members)
      : order_(members, static_cast<unsigned>(std::bit_width(tidings_pkg::kAlltoallMembers) - 1)) {}

  [[nodiscard]] OrderTable& order() { return order_; }
  [[nodiscard]] bool valid() const { return valid_; }
  [[nodiscard]] std::uint32_t address() const { return address_; }
  [[nodiscard]] bool running() const { return order_.valid() || valid_; }
  /// A clock edge without inputs changes something.
  [[nodiscard]] bool busy() const { return order_.valid() && !valid_; }

  void start(std::uint32_t words) {
    order_.start(words);
    word_ = 0;
  }
  /// One clock edge. @param next the address is done with. @param words of a block. @param base of the first block.
  void clock(bool next, std::uint32_t words, std::uint32_t base) {
    if (!order_.valid() || (valid_ && !next)) {
      valid_ = valid_ && !next;
      return;
    }
    address_ = base + ((order_.entry() * words + word_) << 2U);
    valid_ = true;
    if (order_.last()) word_ = (word_ + 1) & ((1U << tidings_pkg::kAlltoallWordsWidth) - 1);
    order_.next();
  }

 private:
  OrderTable order_;
  bool valid_ = false;
  std::uint32_t address_ = 0;
  std::uint32_t word_ = 0;  ///< of the blocks, which is next
};

}  // namespace tidings::cycle
