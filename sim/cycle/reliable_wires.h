// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file reliable_wires.h
/// The links of a machine if wires have bit errors: an end of rtl/network/reliable_link.sv at each port.
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sim/cycle/reliable_link.h"
#include "sim/machine/node.h"
#include "sim/machine/types.h"

namespace tidings::cycle {

/// Stands in for `InFlight` in a `Fabric`. Links are numbered by their sending end.
///
/// Each bit of a frame is wrong with the bit error rate, independently; the errors of a direction are drawn from the
/// seed and the number of its end, so they do not depend on what happens elsewhere.
class ReliableWires {
 public:
  struct Options {
    LinkParameters link;
    std::uint32_t latency = 1;  ///< of the wire in cycles
    double bit_error_rate = 0;
    std::uint64_t seed = 1;
  };
  static constexpr std::uint32_t kNoPeer = std::numeric_limits<std::uint32_t>::max();

  /// @param peers for each end the one at the other side, or `kNoPeer`.
  /// @param name of an end, for messages.
  ReliableWires(const Options& options, std::vector<std::uint32_t> peers,
                std::function<std::string(std::uint32_t)> name);

  void reserve(std::uint64_t /*links*/, std::uint64_t /*channels*/) {}
  void send(std::uint32_t link, const Flit& flit) {
    ends_[link].router.flit_valid = true;
    ends_[link].router.flit = flit;
    ends_[link].active = true;
  }
  void send_credit(std::uint32_t link, unsigned channel) {
    ends_[link].router.credits |= static_cast<std::uint8_t>(1U << channel);
    ends_[link].active = true;
  }
  /// The cycle is over; with `latency`, the next one is `due` + 1 - latency.
  void close(Cycle due);
  [[nodiscard]] std::optional<Cycle> next() const;

  /// One cycle of all ends. Calls `flit(link, Flit)` and `credit(link, channel)` for what they deliver.
  /// @throws LinkError if a link is dead.
  template <typename FlitSink, typename CreditSink>
  void arrive(Cycle cycle, FlitSink&& flit, CreditSink&& credit) {
    for (std::uint32_t e = 0; e < ends_.size(); ++e) {
      if (!ends_[e].active || peers_[e] == kNoPeer) continue;
      const PortOutput delivered = show(e, cycle);
      if (delivered.flit_valid) flit(peers_[e], delivered.flit);
      for (unsigned channel = 0; channel < kChannels; ++channel) {
        if ((delivered.credits >> channel & 1U) != 0) credit(peers_[e], channel);
      }
    }
    clock(cycle);
  }

  /// Calls `show(link, PortOutput)` for what routers sent in the last step.
  template <typename Show>
  void look_shown(Cycle /*cycle*/, std::uint32_t /*latency*/, Show&& show) const {
    for (std::uint32_t e = 0; e < ends_.size(); ++e) {
      if (ends_[e].router.flit_valid || ends_[e].router.credits != 0) show(e, ends_[e].router);
    }
  }
  /// Calls `show(link, PortOutput)` for what is delivered in the next step.
  template <typename Show>
  void look(Cycle /*cycle*/, Show&& show) const {
    for (std::uint32_t e = 0; e < ends_.size(); ++e) {
      const PortOutput delivered = ends_[e].link.outputs().router;
      if (delivered.flit_valid || delivered.credits != 0) show(peers_[e], delivered);
    }
  }

  [[nodiscard]] std::uint64_t damaged_frames() const { return damaged_frames_; }
  [[nodiscard]] std::uint64_t resent_frames() const { return resent_frames_; }

 private:
  static constexpr unsigned kChannels = 4;

  struct End {
    explicit End(const LinkParameters& parameters) : link(parameters) {}
    ReliableLink link;
    PortOutput router;                 ///< what the router sends in this cycle
    std::optional<PackedFrame> frame;  ///< what comes off the wire in this cycle
    bool active = false;
    std::mt19937_64 random;
    std::uint64_t good_bits = 0;  ///< that will be sent before the next wrong one
  };
  struct OnWire {
    Cycle due;
    std::uint32_t end;
    PackedFrame frame;
  };

  /// What an end shows to its router; its frame goes to the wire.
  PortOutput show(std::uint32_t end, Cycle cycle);
  void clock(Cycle cycle);
  void damage(End& end, PackedFrame& frame);
  std::uint64_t draw_good_bits(End& end);

  Options options_;
  std::vector<std::uint32_t> peers_;
  std::function<std::string(std::uint32_t)> name_;
  std::vector<End> ends_;
  std::deque<OnWire> wire_;  ///< in the order of arrival
  Cycle now_;                ///< the cycle that is stepped next
  std::uint64_t damaged_frames_ = 0;
  std::uint64_t resent_frames_ = 0;
};

}  // namespace tidings::cycle
