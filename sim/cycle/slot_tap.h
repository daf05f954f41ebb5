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
  void quiet(MpeTap& shown) const { show(false, 0, shown); }
  /// A flit that comes now is a word of payload.
  [[nodiscard]] bool inside_packet() const { return payload_; }
  /// Of the packet under way.
  [[nodiscard]] unsigned context() const { return context_; }
  /// Its words that have not come.
  [[nodiscard]] std::uint32_t left() const { return left_; }

  /// One clock edge with a flit. @param shown what it brings the engine before the edge.
  void take(const Flit& flit, MpeTap& shown) {
    show(payload_, flit.data, shown);
    take(flit);
  }
  /// Likewise.
  void take(const Flit& flit) {
    if (!payload_) context_ = NeighbourHeader::decode(flit.data).context_id % kMaxContexts;
    left_ = payload_ ? static_cast<std::uint16_t>(left_ - 1) : NeighbourHeader::decode(flit.data).length;
    if (flit.last) left_ = 0;
    payload_ = !flit.last;
  }

 private:
  void show(bool valid, std::uint32_t data, MpeTap& shown) const {
    shown.valid = valid;
    shown.context = context_;
    shown.data = data;
    shown.left = left_;
  }

  bool payload_ = false;
  std::uint8_t context_ = 0;
  std::uint16_t left_ = 0;
};

}  // namespace tidings::cycle
