// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file static_route.h
/// Twin of rtl/network/static_route.sv: the branches of the static packet at the head of one input channel.
#include <cstdint>

#include "sim/cycle/route_table.h"

namespace tidings::cycle {

/// Ports are bits of masks.
class StaticRoute {
 public:
  /// @param pipeline registers before and behind the arbiters.
  explicit StaticRoute(bool pipeline = false) : pipeline_(pipeline) {}

  /// What its output channels are like in one cycle; of those that are not looked at, anything.
  struct Outputs {
    std::uint32_t free = 0;
    std::uint32_t credit = 0;
    std::uint32_t room = 0;  ///< for a whole packet, or none is needed
  };
  /// What happens in one cycle.
  struct Decision {
    std::uint32_t used = 0;       ///< grants: an output channel is taken, or a word leaves, or both
    std::uint32_t sent = 0;       ///< ports through which the word leaves
    std::uint32_t released = 0;   ///< ports whose output channel is given back
    std::uint32_t reachable = 0;  ///< ports that may be asked for in the next cycle, with a pipeline
    bool go = false;              ///< all output channels are taken
    bool pop = false;             ///< the word has left to all branches
  };

  /// Ports of which the rest looks at the output channels.
  [[nodiscard]] std::uint32_t looks_at() const { return state_ == State::kLeave ? pending_ : branches_; }

  /// Ports through which the packet leaves, known once its route has been looked up.
  [[nodiscard]] std::uint32_t branches() const { return branches_; }
  /// The word is a head whose route is to be looked up.
  [[nodiscard]] bool asks() const { return state_ == State::kLookup; }

  /// The route has been looked up. @param allowed branches that break no rule if routes may not take any turn.
  /// @return whether a branch is left out, or there is none.
  bool serve(const RouteEntry& entry, std::uint32_t linked, std::uint32_t allowed, const Outputs& outputs) {
    const std::uint32_t may = entry.switched ? linked : linked & allowed;
    state_ = State::kTake;
    switched_ = entry.switched;
    branches_ = pending_ = entry.ports & may;
    reachable_ = behind_lower(pending_ & ~outputs.free, room(outputs));
    return entry.ports == 0 || branches_ != entry.ports;
  }

  /// Ports that are asked for. Nothing is in a cycle whose lookup is served.
  [[nodiscard]] std::uint32_t request(const Outputs& outputs) const {
    if (state_ == State::kLeave) return pending_ & outputs.credit;
    const std::uint32_t seen = pipeline_ ? reachable_ : behind_lower(pending_ & ~outputs.free, room(outputs));
    return pending_ & outputs.free & seen;
  }

  [[nodiscard]] Decision decide(const Outputs& outputs, std::uint32_t grants) const {
    Decision d;
    const std::uint32_t missing = pending_ & ~grants;
    if (state_ == State::kLeave) {
      d.used = d.sent = grants;
      d.reachable = reachable_;
      d.pop = missing == 0;
      return d;
    }
    d.reachable = behind_lower(pending_ & ~outputs.free, room(outputs));
    if (pipeline_) {
      d.used = grants;
      d.released = branches_ & ~pending_ & ~d.reachable;
    } else {
      d.used = grants & behind_lower(missing, room(outputs));
    }
    d.go = missing == 0 && (branches_ & ~room(outputs)) == 0;
    if (d.go && !pipeline_) {
      d.sent = grants & outputs.credit;
      d.pop = (branches_ & ~d.sent) == 0;
    }
    return d;
  }
  /// All output channels are the packet's, and words leave.
  [[nodiscard]] bool leaves() const { return state_ == State::kLeave; }
  /// The clock edge of a cycle in which they do, through these ports. @return the word has left to all branches.
  bool send(std::uint32_t ports, bool last) {
    pending_ &= ~ports;
    if (pending_ != 0) return false;
    state_ = last ? State::kLookup : State::kLeave;
    pending_ = last ? 0 : branches_;
    return true;
  }
  /// Something may change though no grant is used. @param stirred RouterStatic::stirred.
  [[nodiscard]] bool active(const Decision& d, bool stirred) const {
    return d.pop || (pipeline_ ? stirred && state_ == State::kTake : d.go);
  }

  /// The clock edge of a cycle with a word and without a lookup. @param last the word is a tail.
  void clock(const Decision& d, bool last) {
    reachable_ = d.reachable;
    if (d.pop) {
      state_ = last ? State::kLookup : State::kLeave;
      pending_ = last ? 0 : branches_;
    } else if (d.go) {
      state_ = State::kLeave;
      pending_ = branches_ & ~d.sent;
    } else {
      pending_ = (pending_ & ~d.used) | d.released;
    }
  }

 private:
  enum class State : std::uint8_t { kLookup, kTake, kLeave };

  [[nodiscard]] std::uint32_t room(const Outputs& outputs) const { return switched_ ? ~0U : outputs.room; }
  /// Ports of which all lower branches are ours or can be, and have room.
  [[nodiscard]] std::uint32_t behind_lower(std::uint32_t lacking, std::uint32_t has_room) const {
    const std::uint32_t obstacles = branches_ & (lacking | ~has_room);
    const std::uint32_t lowest = obstacles & (~obstacles + 1);
    return lowest | (lowest - 1);  // all if there is no obstacle
  }

  bool pipeline_;
  State state_ = State::kLookup;
  bool switched_ = false;
  std::uint32_t branches_ = 0;
  std::uint32_t pending_ = 0;    ///< channel not yet taken; once words leave: the word has not left
  std::uint32_t reachable_ = 0;  ///< with a pipeline: ports that may be asked for, as they were in the cycle before
};

}  // namespace tidings::cycle
