// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file port_credits.h
/// Back-pressure on one port of a router.
#include <array>
#include <bit>
#include <cstdint>

#include "generated/tidings_pkg.h"
#include "sim/machine/node.h"
#include "sim/traffic/random.h"

namespace tidings::verify {

/// Keeps the credits of a port from outside: room for what is sent to it, and credits owed for what came out of it.
/// These come back at once for a while, and for another while with a chance of one in `patience_` cycles.
class PortCredits {
 public:
  /// @param channels virtual channels of the port; @param room flits of each of its buffers.
  PortCredits(unsigned channels, std::uint32_t room) : channels_(channels) { room_.fill(room); }

  [[nodiscard]] unsigned channels() const { return channels_; }
  /// The credits that go to the port in the next cycle, given its outputs of this one. @param quiet all come at once.
  std::uint8_t give(const PortOutput& output, traffic::Random& random, bool quiet) {
    const bool changes = random.below(200) == 0;
    const std::uint32_t patience = random.below(2) == 0 ? 1 : 1 + random.below(60);
    if (changes && !quiet) patience_ = patience;
    if (output.flit_valid) ++owed_[output.flit.vc];
    std::uint8_t credits = 0;
    for (unsigned vc = 0; vc < channels_; ++vc) {
      const bool returns = random.below(quiet ? 1 : patience_) == 0;
      if (!returns || owed_[vc] == 0) continue;
      --owed_[vc];
      credits |= static_cast<std::uint8_t>(1U << vc);
    }
    return credits;
  }
  /// @return whether there is room for a flit, which is then taken.
  bool take_room(unsigned vc) {
    if (room_[vc] == 0) return false;
    --room_[vc];
    return true;
  }
  /// Takes the credits that the port gives.
  void take(std::uint8_t credits) {
    for (unsigned rest = credits; rest != 0; rest &= rest - 1) ++room_[static_cast<unsigned>(std::countr_zero(rest))];
  }
  /// No credit is owed.
  [[nodiscard]] bool at_rest() const { return owed_ == Counts{}; }

 private:
  using Counts = std::array<std::uint32_t, tidings_pkg::kMaxVcs>;

  unsigned channels_;
  Counts room_{};
  Counts owed_{};
  std::uint32_t patience_ = 1;
};

}  // namespace tidings::verify
