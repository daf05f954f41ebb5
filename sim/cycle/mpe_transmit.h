// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_transmit.h
/// Twin of rtl/engine/mpe_transmit.sv.
#include <cstdint>
#include <span>
#include <vector>

#include "sim/cycle/mpe_credits.h"
#include "sim/cycle/mpe_pkg.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

/// Sends the down unit's stream to every child, and the results of the up unit to a parent that has no direct link.
class MpeTransmit {
 public:
  struct Inputs {
    bool stop = false;
    unsigned context = 0;  ///< of the command
    unsigned direct = 0;   ///< its direct links, one bit each; counts if picks() holds
    unsigned parent = 0;
    std::uint32_t up_count = 0;
    bool up_complete = false;
    std::uint8_t children = 0;
    bool down_complete = false;
    bool down_push = false;
    std::uint32_t down_data = 0;
    std::uint32_t down_coming = 0;  ///< words that will come whatever happens
    bool stopped = false;           ///< words that were to come will not
    bool request_ready = false;
  };

  MpeTransmit(const MpeParameters& parameters, NodeId node, SlotId slot);

  [[nodiscard]] bool down_room() const { return waiting() <= static_cast<std::uint32_t>(block_memory_.size()) - 2; }
  /// @param stopped words that were to come will not.
  [[nodiscard]] bool request_valid(bool stopped) const {
    return state_ != State::kPick && (state_ != State::kPayload || !down_ || read_ != write_ || stopped);
  }
  /// @param context of the command. @param up_data the oldest result for the parent.
  [[nodiscard]] Flit request_flit(unsigned context, MpeLinks links, std::uint32_t up_data) const;
  /// Nothing is under way, and there is nothing to choose a packet of: a clock edge changes nothing.
  /// @param up_count,down_coming,down_push as in Inputs.
  [[nodiscard]] bool sleeps(std::uint32_t up_count, std::uint32_t down_coming, bool down_push) const {
    return state_ == State::kPick && todo_ == 0 && waiting() == 0 && up_count == 0 && down_coming == 0 && !down_push;
  }
  /// A packet may be chosen in this cycle.
  [[nodiscard]] bool picks() const { return state_ == State::kPick; }
  [[nodiscard]] bool done() const { return state_ == State::kPick && waiting() == 0; }
  /// A result leaves in this cycle.
  [[nodiscard]] bool up_pop(bool request_ready) const { return state_ == State::kPayload && request_ready && !down_; }

  /// @param credits as before the edge; a packet that starts takes from them.
  /// @return whether something happened without an input: active_o of the RTL.
  bool clock(const Inputs& inputs, MpeCredits& credits);

 private:
  enum class State : std::uint8_t { kPick, kHeader0, kHeader1, kPayload };

  [[nodiscard]] std::uint32_t waiting() const { return write_ - base_; }
  [[nodiscard, gnu::noinline]] bool pick(const Inputs& inputs, MpeCredits& credits);

  std::uint32_t packet_words_;
  std::uint32_t forward_words_;
  bool multicast_;
  unsigned context_mask_;
  unsigned link_mask_;
  NodeId node_;
  SlotId slot_;
  State state_ = State::kPick;
  bool down_ = false;    ///< the packet comes from the block buffer
  bool direct_ = false;  ///< it is a neighbour packet
  unsigned links_ = 0;   ///< that it goes to, one bit each
  std::uint32_t length_ = 0;
  std::uint32_t left_ = 0;
  std::vector<std::uint32_t> block_memory_;
  // Counts modulo 2^32: words written, first word of the block, next word of the packet.
  std::uint32_t write_ = 0;
  std::uint32_t base_ = 0;
  std::uint32_t read_ = 0;
  std::uint8_t todo_ = 0;    ///< children that the block under way still has to go to
  std::uint32_t block_ = 0;  ///< its words
  bool last_copy_ = false;
};

}  // namespace tidings::cycle
