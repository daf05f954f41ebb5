// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot_packet_mux.h
/// Twin of rtl/engine/slot_packet_mux.sv: lets two sources take turns, packet by packet.
#include <cstdint>

#include "sim/cycle/arbiter.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

class SlotPacketMux {
 public:
  /// The source that offers a flit in this cycle; none is a mask of zero.
  /// @param valid which sources offer one, one bit per source.
  [[nodiscard]] std::uint32_t source(std::uint32_t valid) const {
    return inside_ ? valid & owner_ : arbiter_.grant(valid);
  }

  /// The clock edge of a cycle in which the flit of `source` was taken.
  void take(std::uint32_t source, bool last) {
    if (!inside_) {
      arbiter_.accept(source);
      owner_ = source;
    }
    inside_ = !last;
  }

 private:
  Arbiter arbiter_;
  bool inside_ = false;      ///< between head and tail of the owner's packet
  std::uint32_t owner_ = 0;  ///< one-hot
};

}  // namespace tidings::cycle
