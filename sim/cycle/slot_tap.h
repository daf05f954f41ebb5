// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot_tap.h
/// Twin of rtl/engine/slot_tap.sv: takes the header off the neighbour packets that come in through one network port.
#include "sim/cycle/mpe_pkg.h"
#include "sim/cycle/tidings_pkg.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

class SlotTap {
 public:
  /// What the engine sees without a flit: the packet under way.
  [[nodiscard]] MpeTap quiet() const { return {.valid = false, .context = context_, .data = 0, .left = left_}; }
  /// One clock edge with a flit. @return what it brings the engine before the edge.
  MpeTap take(const Flit& flit) {
    const MpeTap word{.valid = payload_, .context = context_, .data = flit.data, .left = left_};
    if (!payload_) context_ = NeighbourHeader::decode(flit.data).context_id % kMaxContexts;
    left_ = payload_ ? static_cast<std::uint16_t>(left_ - 1) : NeighbourHeader::decode(flit.data).length;
    if (flit.last) left_ = 0;
    payload_ = !flit.last;
    return word;
  }

 private:
  bool payload_ = false;
  std::uint8_t context_ = 0;
  std::uint16_t left_ = 0;
};

}  // namespace tidings::cycle
