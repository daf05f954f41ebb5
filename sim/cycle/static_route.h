// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file static_route.h
/// Twin of rtl/network/static_route.sv and static_walk.sv: the branches of the static packet at the head of one input
/// channel.
#include <bit>
#include <cstdint>

#include "sim/cycle/route_table.h"

namespace tidings::cycle {

/// Ports are bits of masks.
class StaticRoute {
 public:
  /// @param one_by_one channels are taken one in a cycle, and the head leaves after that.
  explicit StaticRoute(bool one_by_one = false) : one_by_one_(one_by_one) {}

  /// What its output channels are like in one cycle.
  struct Outputs {
    std::uint32_t free = 0;
    std::uint32_t credit = 0;
    std::uint32_t room = 0;  ///< for a whole packet, or none is needed
  };
  /// What happens in one cycle.
  struct Decision {
    std::uint32_t used = 0;  ///< grants: an output channel is taken, or a word leaves, or both
    std::uint32_t sent = 0;
    bool go = false;    ///< the head begins to leave
    bool pop = false;   ///< the word has left to all branches
    bool held = false;  ///< one by one: the lowest channel that was missing is taken
    bool next = false;  ///< and has room
  };

  /// The word is a head whose route is to be looked up.
  [[nodiscard]] bool asks() const { return state_ == State::kLookup; }

  /// The route has been looked up. @param allowed branches that break no rule where routes may not take any turn.
  /// @return whether a branch is left out, or there is none.
  bool serve(const RouteEntry& entry, std::uint32_t linked, std::uint32_t allowed) {
    const std::uint32_t may = entry.switched ? linked : linked & allowed;
    state_ = State::kTake;
    switched_ = entry.switched;
    branches_ = pending_ = entry.ports & may;
    return entry.ports == 0 || branches_ != entry.ports;
  }

  /// Ports that are asked for. Nothing is in a cycle whose lookup is served.
  [[nodiscard]] std::uint32_t request(const Outputs& outputs) const {
    if (state_ == State::kLeave) return pending_ & outputs.credit;
    if (one_by_one_) return held_ ? 0 : lowest(pending_) & outputs.free;
    std::uint32_t asked = 0;
    for (std::uint32_t rest = branches_; rest != 0; rest &= rest - 1) {
      const std::uint32_t port = lowest(rest);
      const bool taken = (pending_ & port) == 0;
      const bool free = (outputs.free & port) != 0;
      if (!taken && free) asked |= port;
      if ((!taken && !free) || (room(outputs) & port) == 0) break;
    }
    return asked;
  }

  [[nodiscard]] Decision decide(const Outputs& outputs, std::uint32_t grants) const {
    Decision d;
    if (state_ == State::kLeave) {
      d.used = d.sent = grants;
      d.pop = (pending_ & ~grants) == 0;
      return d;
    }
    const std::uint32_t missing = pending_ & ~grants;
    if (one_by_one_) {
      const std::uint32_t taking = lowest(pending_);
      d.used = grants;
      d.held = held_ || (missing & taking) == 0;
      d.next = d.held && (taking & ~room(outputs)) == 0;
      d.go = d.next && pending_ == taking;
      return d;
    }
    // Of the ports granted, those whose lower ports are taken as well.
    d.used = grants & (lowest(missing) - 1);
    d.go = missing == 0 && (branches_ & ~room(outputs)) == 0;
    if (d.go) d.sent = grants & outputs.credit;
    d.pop = d.go && (branches_ & ~d.sent) == 0;
    return d;
  }

  /// The clock edge of a cycle with a word and without a lookup. @param last the word is a tail.
  void clock(const Decision& d, bool last) {
    if (d.pop) {
      state_ = last ? State::kLookup : State::kLeave;
      pending_ = last ? 0 : branches_;
    } else if (d.go) {
      state_ = State::kLeave;
      pending_ = branches_ & ~d.sent;
      held_ = false;
    } else if (one_by_one_ && state_ == State::kTake) {
      held_ = d.held && !d.next;
      if (d.next) pending_ &= pending_ - 1;
    } else {
      pending_ &= ~d.used;
    }
  }

 private:
  enum class State : std::uint8_t { kLookup, kTake, kLeave };

  [[nodiscard]] static std::uint32_t lowest(std::uint32_t ports) { return ports & (~ports + 1); }
  [[nodiscard]] std::uint32_t room(const Outputs& outputs) const { return switched_ ? ~0U : outputs.room; }

  bool one_by_one_;
  bool held_ = false;  ///< one by one: the lowest channel that is pending is taken, and has no room
  State state_ = State::kLookup;
  bool switched_ = false;
  std::uint32_t branches_ = 0;
  std::uint32_t pending_ = 0;  ///< channel not yet taken; once words leave: the word has not left
};

}  // namespace tidings::cycle
