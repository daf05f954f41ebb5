// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file barrier_spoke.h
/// Twin of rtl/engine/barrier_spoke.sv: a slot's share of the barriers of one group at a hub.

namespace tidings::cycle {

class BarrierSpoke {
 public:
  struct Inputs {
    bool member = false;
    bool clear = false;
    bool arrive = false;
    bool release = false;
  };

  [[nodiscard]] bool arrived() const { return arrived_; }

  /// One clock edge. @return whether a barrier was complete before it.
  bool clock(const Inputs& in) {
    const bool done = arrived_ && in.release;
    arrived_ = !in.clear && in.member && (in.arrive || (arrived_ && !in.release));
    return done;
  }

 private:
  bool arrived_ = false;
};

}  // namespace tidings::cycle
