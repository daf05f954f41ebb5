// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file barrier_group.h
/// Twin of rtl/engine/barrier_group.sv: a node's share of the barriers of one group.
#include <cstdint>

namespace tidings::cycle {

/// Sets of network ports have a bit each.
class BarrierGroup {
 public:
  struct Inputs {
    bool member = false;
    std::uint32_t mates = 0;  ///< network ports behind which there are other members
    bool clear = false;
    bool arrive = false;
    std::uint32_t tokens = 0;
  };
  struct Report {
    bool done = false;
    bool stray = false;
  };

  [[nodiscard]] bool arrived() const { return arrived_; }
  [[nodiscard]] std::uint32_t tokens() const { return tokens_; }

  Report clock(const Inputs& in) {
    const bool arrived = arrived_ || (in.arrive && in.member);
    const std::uint32_t ready = (~in.mates | one_ | in.tokens) & kPorts;
    const bool row_complete = arrived && (ready & kRows) == kRows;
    const bool done = row_complete && ready == kPorts;
    const std::uint32_t complete = (arrived ? kRows : 0) | (row_complete ? kColumns : 0);
    const std::uint32_t send = complete & opposite(ready) & in.mates & ~sent_;
    const bool stray = in.member && (in.tokens & (~in.mates | (done ? 0 : two_))) != 0;
    const std::uint32_t come = in.tokens & in.mates;
    tokens_ = in.member ? send : opposite(in.tokens);
    const std::uint32_t both = one_ & come;
    if (done) {
      one_ = two_ | both;
      two_ &= come;
    } else {
      one_ |= come;
      two_ |= both;
    }
    arrived_ = arrived && !done;
    sent_ = done ? 0 : sent_ | send;
    if (in.clear || !in.member) arrived_ = false, sent_ = one_ = two_ = 0;
    if (in.clear) tokens_ = 0;
    return {.done = done, .stray = stray};
  }

 private:
  static constexpr std::uint32_t kRows = 3;
  static constexpr std::uint32_t kColumns = 12;
  static constexpr std::uint32_t kPorts = kRows | kColumns;

  static constexpr std::uint32_t opposite(std::uint32_t ports) { return (ports & 5U) << 1 | (ports & 10U) >> 1; }

  bool arrived_ = false;
  std::uint32_t one_ = 0;   ///< directions of which a token is kept
  std::uint32_t two_ = 0;   ///< and of which another one is
  std::uint32_t sent_ = 0;  ///< directions in which the token of this barrier has left
  std::uint32_t tokens_ = 0;
};

}  // namespace tidings::cycle
