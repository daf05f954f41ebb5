// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file arbiter.h
/// Twin of rtl/common/arbiter.sv.
#include <cstdint>

namespace tidings::cycle {

/// Chooses one of up to 32 requesters: round robin, or the lowest if priority is fixed.
class Arbiter {
 public:
  explicit Arbiter(bool fixed_priority = false) : fixed_priority_(fixed_priority) {}

  /// The winner, one-hot; zero without requests.
  [[nodiscard]] std::uint32_t grant(std::uint32_t requests) const {
    const std::uint32_t first = requests & above_;
    const std::uint32_t candidates = first != 0 ? first : requests;
    return candidates & (~candidates + 1);
  }

  /// The clock edge of a cycle in which `grant` was used.
  void accept(std::uint32_t grant) {
    if (!fixed_priority_ && grant != 0) above_ = ~(grant | (grant - 1));
  }

 private:
  bool fixed_priority_;
  std::uint32_t above_ = 0;  ///< ones above the last winner
};

}  // namespace tidings::cycle
