// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file clock.h
/// Cycles to picoseconds and back, exactly.
#include <cstdint>

#include "sim/machine/types.h"

namespace tidings {

/// Cycle c begins at floor(c * 10^9 / kHz) picoseconds.
class Clock {
 public:
  /// @throws std::invalid_argument for 0 kHz.
  explicit Clock(std::uint64_t khz);

  [[nodiscard]] Picoseconds time_of(Cycle cycle) const;
  [[nodiscard]] Cycle first_cycle_at_or_after(Picoseconds time) const;

 private:
  std::uint64_t khz_;
};

}  // namespace tidings
