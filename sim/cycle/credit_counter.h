// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file credit_counter.h
/// Twin of rtl/common/credit_counter.sv.
#include <cstdint>

namespace tidings::cycle {

/// Room left in a buffer downstream, as its sender counts it.
class CreditCounter {
 public:
  explicit CreditCounter(std::uint32_t credits) : count_(credits) {}

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] bool available() const { return count_ != 0; }

  /// One clock edge.
  void clock(bool take, bool give) { clock(take, give, 1); }
  /// As many that are alike.
  void clock(bool take, bool give, std::uint32_t edges) { count_ = count_ - (take ? edges : 0) + (give ? edges : 0); }

 private:
  std::uint32_t count_;
};

}  // namespace tidings::cycle
