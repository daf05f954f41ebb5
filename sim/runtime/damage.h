// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file damage.h
/// What a program with a wild pointer has written into the memory that its rank shares with the simulator.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/runtime/channel.h"
#include "sim/runtime/segment.h"

namespace tidings {

/// Compares a channel with what the rank's library could have left there.
class DamageCheck {
 public:
  /// @param segment as the rank will find it.
  /// @param limit_ps latest time of a rank.
  DamageCheck(const Segment& segment, std::uint64_t limit_ps);

  /// Whether what no library changes is as it was: settings and guard words. It may be asked at any time.
  [[nodiscard]] bool is_whole(const Segment& segment) const;

  /// The first place that the library has not written, or not so: "byte 0 (settings of the run) holds a5 a5 a5 a5".
  /// @pre The rank does not have the turn, or is_whole is false.
  [[nodiscard]] std::optional<std::string> find(const Segment& segment) const;

 private:
  std::uint64_t limit_ps_;
  std::array<std::byte, offsetof(tidings_channel, stop)> settings_;
};

}  // namespace tidings
