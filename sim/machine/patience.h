// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file patience.h
/// Looking for something for a while, before sleeping until it comes.
#include <chrono>
#include <optional>

#include "sim/machine/relax.h"

namespace tidings {

/// Ask for about as long as it takes to wake somebody on another core, so that neither looking nor sleeping costs more
/// than twice the better one.
/// @param come called again and again until it is true. @param between called from time to time.
/// @return whether it became true.
template <typename Come, typename Between>
[[nodiscard]] bool look_for(Come&& come, Between&& between) {
  constexpr std::chrono::microseconds patience{100};
  constexpr int looks = 128;
  std::optional<std::chrono::steady_clock::time_point> began;  // mostly it comes before a clock has been asked
  for (;;) {
    for (int i = 0; i < looks; ++i) {
      if (come()) return true;
      tidings_relax();
    }
    between();
    const auto now = std::chrono::steady_clock::now();
    if (!began) began = now;
    if (now - *began > patience) return false;
  }
}

}  // namespace tidings
