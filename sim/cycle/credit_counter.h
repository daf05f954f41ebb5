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

  [[nodiscard]] bool available() const { return count_ != 0; }

  /// One clock edge.
  void clock(bool take, bool give) { count_ = count_ - (take ? 1 : 0) + (give ? 1 : 0); }

 private:
  std::uint32_t count_;
};

}  // namespace tidings::cycle
