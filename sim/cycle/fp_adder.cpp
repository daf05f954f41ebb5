// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/fp_adder.h"

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

namespace tidings::cycle {

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559);
static_assert(FLT_EVAL_METHOD == 0, "sums must be rounded to their own type");

std::uint32_t float_sum(std::uint32_t a, std::uint32_t b) {
  constexpr std::uint32_t kCanonicalNan = 0x7fc00000;
  const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
  return std::isnan(sum) ? kCanonicalNan : std::bit_cast<std::uint32_t>(sum);
}

std::uint64_t double_sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kCanonicalNan = 0x7ff8'0000'0000'0000;
  const double sum = std::bit_cast<double>(a) + std::bit_cast<double>(b);
  return std::isnan(sum) ? kCanonicalNan : std::bit_cast<std::uint64_t>(sum);
}

}  // namespace tidings::cycle
