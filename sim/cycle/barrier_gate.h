// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file barrier_gate.h
/// Twin of rtl/engine/barrier_gate.sv: holds arrivals back until their slot is quiet.
#include <cstdint>

namespace tidings::cycle {

/// Groups have a bit each.
class BarrierGate {
 public:
  struct Inputs {
    std::uint32_t arrive = 0;
    bool wait = false;
    bool quiet = false;
    std::uint32_t clear = 0;
  };

  [[nodiscard]] std::uint32_t held() const { return held_; }

  /// One clock edge. @return arrivals that enter their barriers before it.
  std::uint32_t clock(const Inputs& in) {
    const std::uint32_t waiting = held_ | (in.wait ? in.arrive : 0);
    held_ = in.quiet ? 0 : waiting & ~in.clear;
    return (in.quiet ? waiting : 0) | (in.wait ? 0 : in.arrive);
  }

 private:
  std::uint32_t held_ = 0;
};

}  // namespace tidings::cycle
