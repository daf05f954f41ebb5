// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file reliable_link.h
/// Twin of rtl/network/reliable_link.sv with link_sender.sv and link_receiver.sv: one end of a link that loses nothing.
#include <array>
#include <cstdint>
#include <vector>

#include "sim/cycle/fifo.h"
#include "sim/cycle/link_pkg.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// Parameters of reliable_link.sv.
struct LinkParameters {
  std::uint32_t queue_flits = 64;
  std::uint32_t window = 64;
  std::uint32_t timeout = 64;
  std::uint32_t max_retries = 16;
};

/// Those of an end whose wire has a latency, and whose router's neighbour has buffers for a number of flits: the
/// smallest window that carries a word per cycle, as far as numbers go.
[[nodiscard]] LinkParameters link_parameters(std::uint32_t latency, std::uint32_t buffer_flits);

/// What an end shows in one cycle.
struct LinkOutput {
  PortOutput router;  ///< flit and credits for the router
  bool frame_valid = false;
  PackedFrame frame;
  bool dead = false;
  bool resent = false;
  bool damaged = false;
  bool busy = false;
};

class ReliableLink {
 public:
  explicit ReliableLink(const LinkParameters& parameters);

  /// Depends on registers alone.
  [[nodiscard]] LinkOutput outputs() const;
  /// One clock edge.
  /// @param router what the router sends.
  /// @param frame what comes from the wire, or null.
  void clock(const PortOutput& router, const PackedFrame* frame);

  [[nodiscard]] bool dead() const { return dead_; }
  /// As outputs().busy.
  [[nodiscard]] bool busy() const;

 private:
  static constexpr unsigned kChannels = 4;

  /// What the sender does in this cycle.
  struct Sending {
    bool again = false;
    bool fresh = false;
    LinkPayload payload;
    [[nodiscard]] bool numbered() const { return again || fresh; }
  };
  [[nodiscard]] Sending sending() const;
  [[nodiscard]] std::uint8_t waiting_credits() const;
  [[nodiscard]] static std::uint16_t distance(std::uint16_t from, std::uint16_t to) {
    return static_cast<std::uint16_t>((to - from) & kSequenceMask);
  }
  void clock_sender(const Sending& now, const PortOutput& router);
  /// What the frame of the cycle before is for the receiver.
  struct Received {
    bool good = false;
    bool fits = false;     ///< it is the next
    bool missing = false;  ///< it is damaged, or follows one that is missing
  };
  [[nodiscard]] Received received() const;
  void clock_receiver(const PackedFrame* frame, bool answered);

  LinkParameters parameters_;

  // link_sender
  Fifo<Flit> queue_;
  std::array<std::uint32_t, kChannels> credits_{};
  std::vector<LinkPayload> window_;
  std::uint16_t base_ = 0;
  std::uint16_t send_ = 0;
  std::uint16_t next_ = 0;
  bool again_ = false;    ///< the next to be sent was sent before
  bool full_ = false;     ///< the window is
  bool go_back_ = false;  ///< it is to be sent again from its start
  bool skip_ = false;     ///< what was to be sent again has been acknowledged meanwhile
  std::uint32_t timer_ = 0;
  std::uint32_t retries_ = 0;
  bool dead_ = false;

  // link_receiver
  bool frame_valid_ = false;
  bool frame_whole_ = false;
  LinkContent content_;  ///< of a frame that is whole
  std::uint16_t expected_ = 0;
  bool ack_valid_ = false;
  std::uint16_t ack_ = 0;
  bool resend_ = false;
  bool answer_ = false;
  bool refuse_ = false;
  bool waiting_ = false;
};

}  // namespace tidings::cycle
