// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file fp_adder.h
/// Twin of rtl/engine/fp_adder.sv: the sum is made at once and shown when the pipeline would.
#include <array>
#include <cstdint>

namespace tidings::cycle {

/// IEEE 754 sum of two numbers given as bits, rounded to nearest, ties to even, with subnormals. A result that is not
/// a number is the canonical quiet NaN. Expects the thread's floating-point environment to be the default one.
[[nodiscard]] std::uint32_t float_sum(std::uint32_t a, std::uint32_t b);
/// The same with 64 bits.
[[nodiscard]] std::uint64_t double_sum(std::uint64_t a, std::uint64_t b);

/// Pipelined adder of doubles, and of floats in the upper halves of operands and result.
class FpAdder {
 public:
  /// @param stages at most `kRing`.
  explicit FpAdder(std::uint32_t stages) : depth_(stages), last_stage_(1U << (stages - 1)) {}

  [[nodiscard]] bool valid() const { return (stages_ & last_stage_) != 0; }
  [[nodiscard]] std::uint64_t result() const { return results_[(clocks_ - depth_) % kRing]; }

  void clock(bool valid, bool is_short, std::uint64_t a, std::uint64_t b) {
    if (!valid && stages_ == 0) return;
    stages_ = (stages_ & ~last_stage_) << 1 | static_cast<std::uint32_t>(valid);
    if (valid) results_[clocks_ % kRing] = is_short ? short_sum(a, b) : double_sum(a, b);
    ++clocks_;
  }

 private:
  static std::uint64_t short_sum(std::uint64_t a, std::uint64_t b) {
    constexpr unsigned kShift = 32;
    const auto upper = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> kShift); };
    return std::uint64_t{float_sum(upper(a), upper(b))} << kShift;
  }

  static constexpr std::uint32_t kRing = 8;

  std::uint32_t depth_;
  std::uint32_t last_stage_;
  std::uint32_t stages_ = 0;  ///< bit s: an addition is behind stage s
  std::uint32_t clocks_ = 0;
  std::array<std::uint64_t, kRing> results_{};  ///< of each clock edge, in a ring
};

}  // namespace tidings::cycle
