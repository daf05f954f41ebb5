// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file barrier_hub.h
/// Twin of rtl/network/barrier_hub.sv: joins the slots of a single router for barriers.
#include <array>
#include <bit>
#include <cstdint>

#include "generated/tidings_pkg.h"

namespace tidings::cycle {

/// Slots of a single router that are the other members of each group, one bit each.
using BarrierMates = std::array<std::uint64_t, tidings_pkg::kBarrierGroups>;

class BarrierHub {
 public:
  /// What a slot shows in this cycle. @param arrived one bit per group.
  void show(unsigned slot, std::uint32_t arrived, const BarrierMates& mates) {
    for (unsigned g = 0; g < kGroups; ++g) {
      arrived_[g] = (arrived_[g] & ~(std::uint64_t{1} << slot)) | std::uint64_t{arrived >> g & 1U} << slot;
      mates_[g][slot] = mates[g];
    }
  }
  /// Slots that are released in this cycle: in any group, one bit each.
  [[nodiscard]] std::uint64_t released() const {
    std::uint64_t slots = 0;
    for (const std::uint64_t group : release_) slots |= group;
    return slots;
  }
  /// Groups in which a slot is released, one bit each.
  [[nodiscard]] std::uint32_t release(unsigned slot) const {
    std::uint32_t groups = 0;
    for (unsigned g = 0; g < kGroups; ++g) groups |= static_cast<std::uint32_t>(release_[g] >> slot & 1U) << g;
    return groups;
  }
  /// Low promises that a clock edge without inputs changes nothing. @param slots of the router.
  [[nodiscard]] bool busy(unsigned slots) const {
    for (unsigned g = 0; g < kGroups; ++g) {
      if ((release_[g] | complete(g, slots)) != 0) return true;
    }
    return false;
  }
  /// One clock edge.
  void clock(unsigned slots) {
    for (unsigned g = 0; g < kGroups; ++g) release_[g] = complete(g, slots);
  }

 private:
  static constexpr unsigned kGroups = tidings_pkg::kBarrierGroups;

  /// Slots that are complete in a group: they and all that they wait for have arrived.
  [[nodiscard]] std::uint64_t complete(unsigned group, unsigned slots) const {
    std::uint64_t found = 0;
    if (arrived_[group] == 0) return 0;
    const std::uint64_t missing = ((std::uint64_t{2} << (slots - 1)) - 1) & ~arrived_[group];
    for (std::uint64_t rest = arrived_[group] & ~release_[group]; rest != 0; rest &= rest - 1) {
      const auto s = static_cast<unsigned>(std::countr_zero(rest));
      if ((mates_[group][s] & missing) == 0) found |= std::uint64_t{1} << s;
    }
    return found;
  }

  std::array<std::uint64_t, kGroups> arrived_{};                                        ///< slots, one bit each
  std::array<std::uint64_t, kGroups> release_{};                                        ///< likewise
  std::array<std::array<std::uint64_t, tidings_pkg::kBarrierMates>, kGroups> mates_{};  ///< by group and slot
};

}  // namespace tidings::cycle
