// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_lane.h
/// Twin of rtl/engine/mpe_lane.sv.
#include <algorithm>
#include <cstdint>

#include "sim/cycle/mpe_pkg.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// Sends results of the up unit to the neighbour behind one network port, in neighbour packets.
class MpeLane {
 public:
  /// What it finds in one cycle.
  struct Offer {
    bool stop = false;
    unsigned context = 0;
    unsigned link = 0;
    std::uint32_t count = 0;  ///< words for the neighbour at hand
    bool complete = false;    ///< no more will come
    std::uint32_t room = 0;   ///< that the neighbour has
  };

  explicit MpeLane(const MpeParameters& parameters)
      : packet_words_(parameters.node.mpe_packet_words), forward_words_(parameters.node.mpe_forward_words) {}

  [[nodiscard]] bool valid(const Offer& offer) const { return payload_ || header(offer); }
  /// @param data the oldest word.
  [[nodiscard]] Flit flit(const Offer& offer, std::uint32_t data) const {
    Flit flit;
    flit.vc = is_reply(Kind::kNeighbour) ? 1 : 0;
    flit.last = payload_ && left_ == 1;
    flit.data = payload_ ? data
                         : NeighbourHeader{.kind = Kind::kNeighbour,
                                           .context_id = static_cast<std::uint8_t>(offer.context),
                                           .ports = static_cast<std::uint16_t>(1U << offer.link),
                                           .length = static_cast<std::uint16_t>(length(offer))}
                               .encode();
    return flit;
  }
  /// A word is taken in this cycle.
  [[nodiscard]] bool pop(bool ready) const { return payload_ && ready; }
  /// Words of the packet that starts in this cycle; 0: none does.
  [[nodiscard]] std::uint32_t starts(const Offer& offer, bool ready) const {
    return !payload_ && ready && header(offer) ? length(offer) : 0;
  }
  /// No packet is under way.
  [[nodiscard]] bool done() const { return !payload_; }

  /// One clock edge. @param starting as starts() said.
  void clock(std::uint32_t starting, bool popped) {
    if (starting != 0) {
      payload_ = true;
      left_ = starting;
    } else if (popped && left_-- == 1) {
      payload_ = false;
    }
  }

 private:
  [[nodiscard]] std::uint32_t length(const Offer& offer) const { return std::min(offer.count, packet_words_); }
  [[nodiscard]] bool header(const Offer& offer) const {
    if (payload_ || offer.stop) return false;
    const std::uint32_t words = length(offer);
    return (offer.complete ? words != 0 : words >= forward_words_) && offer.room >= words;
  }

  std::uint32_t packet_words_;
  std::uint32_t forward_words_;
  bool payload_ = false;
  std::uint32_t left_ = 0;
};

}  // namespace tidings::cycle
