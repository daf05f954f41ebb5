// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file arbiter.h
/// Twin of rtl/common/arbiter.sv.
#include <concepts>
#include <cstdint>

namespace tidings::cycle {

/// Chooses one of as many requesters as a word has bits: round robin, or the lowest if priority is fixed.
template <std::unsigned_integral Requests>
class BasicArbiter {
 public:
  BasicArbiter() = default;
  explicit BasicArbiter(bool fixed_priority) : fixed_priority_(fixed_priority) {}

  /// The winner, one-hot; zero without requests.
  [[nodiscard]] Requests grant(Requests requests) const {
    const Requests first = requests & above_;
    const Requests candidates = first != 0 ? first : requests;
    return candidates & (~candidates + 1);
  }

  /// The clock edge of a cycle in which `grant` was used.
  void accept(Requests grant) {
    if (!fixed_priority_ && grant != 0) above_ = ~(grant | (grant - 1));
  }

 private:
  bool fixed_priority_ = false;
  Requests above_ = 0;  ///< ones above the last winner
};

using Arbiter = BasicArbiter<std::uint32_t>;
using WideArbiter = BasicArbiter<std::uint64_t>;

}  // namespace tidings::cycle
