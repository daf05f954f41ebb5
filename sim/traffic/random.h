// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file random.h
/// Random numbers that are the same on every computer.
#include <cmath>
#include <cstdint>

namespace tidings::traffic {

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): eight bytes of
/// state, so that each endpoint can have its own.
class Random {
 public:
  /// @param stream numbers of one seed that are independent of each other.
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mix(mix(seed + kStep) + stream * kStep)) {}

  std::uint64_t next() { return mix(state_ += kStep); }

  /// 0 to bound - 1, all equally likely but for a share of bound / 2^32.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((next() >> 32U) * std::uint64_t{bound} >> 32U);
  }

  /// More than 0, at most 1.
  double share() { return static_cast<double>((next() >> 11U) + 1) * 0x1p-53; }

  /// Bernoulli trials up to and including the first success.
  /// @param log_failure logarithm of the probability that a trial fails; minus infinity where none does.
  std::uint64_t trials(double log_failure) {
    constexpr double kNever = 1e18;
    const double failures = std::floor(std::log(share()) / log_failure);
    return 1 + static_cast<std::uint64_t>(failures < kNever ? failures : kNever);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;

  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ z >> 30U) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27U) * 0x94d049bb133111eb;
    return z ^ z >> 31U;
  }

  std::uint64_t state_;
};

}  // namespace tidings::traffic
