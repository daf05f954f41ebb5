// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/clock.h"

#include <stdexcept>

namespace tidings {
namespace {

// Products of a 64-bit count and 10^9 need more than 64 bits.
__extension__ using Wide = unsigned __int128;
constexpr std::uint64_t kPicosecondsTimesKhz = 1'000'000'000;

}  // namespace

Clock::Clock(std::uint64_t khz) : khz_(khz) {
  if (khz == 0) throw std::invalid_argument("clock must be faster than 0 kHz");
}

Picoseconds Clock::time_of(Cycle cycle) const {
  return Picoseconds{static_cast<std::uint64_t>(Wide{cycle.value} * kPicosecondsTimesKhz / khz_)};
}

Cycle Clock::first_cycle_at_or_after(Picoseconds time) const {
  // floor(c * K / f) >= t  <=>  c * K >= t * f  <=>  c >= ceil(t * f / K)
  return Cycle{static_cast<std::uint64_t>((Wide{time.value} * khz_ + kPicosecondsTimesKhz - 1) / kPicosecondsTimesKhz)};
}

}  // namespace tidings
