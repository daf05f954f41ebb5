// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file rma_initiator.h
/// Twin of rtl/engine/rma_initiator.sv: runs the commands of a slot and takes in the replies to them.
#include <cstdint>

#include "sim/cycle/fifo.h"
#include "sim/cycle/rma_pkg.h"
#include "sim/cycle/rma_sender.h"
#include "sim/cycle/slot_receiver.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

class RmaInitiator {
 public:
  /// What enters the initiator in one cycle, but for the words of replies.
  struct Inputs {
    const RmaCommand* command = nullptr;  ///< a new one, if any
    bool error_clear = false;
    bool request_ready = false;
    bool read_ready = false;
    bool data_valid = false;
    std::uint32_t data = 0;
    bool write_ready = false;
  };

  /// What the registers are told in one cycle.
  struct Events {
    bool notify = false;
    bool failed = false;
  };

  RmaInitiator(const RmaParameters& parameters, NodeId node, SlotId slot);

  [[nodiscard]] const RmaError& error() const { return error_; }
  [[nodiscard]] std::uint32_t completed() const { return completed_; }
  [[nodiscard]] std::uint16_t unacknowledged() const { return unacknowledged_; }
  [[nodiscard]] bool idle() const { return commands_.empty() && unacknowledged_ == 0; }
  [[nodiscard]] bool busy() const { return !commands_.empty() && state_ != State::kReply; }
  [[nodiscard]] bool request_valid() const {
    return state_ == State::kSend ? sender_.valid() : state_ != State::kIdle && state_ != State::kReply;
  }
  [[nodiscard]] Flit request_flit() const;
  [[nodiscard]] bool read_valid() const { return sender_.read_valid(); }
  [[nodiscard]] std::uint32_t read_address() const { return sender_.read_address(); }
  [[nodiscard]] bool reply_ready(bool write_ready) const { return reply_ != Reply::kPayload || write_ready; }
  [[nodiscard]] bool write_valid(const ReceivedWord& reply) const { return reply_ == Reply::kPayload && reply.valid; }
  [[nodiscard]] MemoryWrite write(const ReceivedWord& reply) const {
    return {.address = get_address_, .strobe = tail_strobe(get_left_), .data = reply.data};
  }

  /// One clock edge; returns what happened in the cycle that it ends. Costs next to nothing while there is nothing to
  /// do.
  Events clock(const ReceivedWord& reply, const Inputs& inputs) {
    if (!reply.valid && inputs.command == nullptr && !inputs.error_clear) {
      if (!busy() && !inputs.data_valid) return {};
      if (state_ == State::kSend && !sender_.done(inputs.request_ready)) {
        // Most words are payload, and nothing else happens.
        clock_sender(nullptr, inputs);
        return {};
      }
    }
    return edge(reply, inputs);
  }

 private:
  enum class State : std::uint8_t { kIdle, kSend, kHeader0, kHeader1, kOffset, kBytes, kAddress, kReply };
  enum class Reply : std::uint8_t { kHeader0, kHeader1, kAddress, kPayload, kDrop };

  /// What the words of replies say in one cycle.
  struct ReplyEvents {
    bool acknowledged = false;
    bool nacked = false;
    bool unexpected = false;
    bool get_done = false;
    bool word_written = false;
    Reply next = Reply::kHeader0;
  };

  Events edge(const ReceivedWord& reply, const Inputs& inputs);
  void clock_sender(const RmaTransfer* start, const Inputs& inputs) {
    sender_.clock({.start = start,
                   .read_ready = inputs.read_ready,
                   .data_valid = inputs.data_valid,
                   .data = inputs.data,
                   .ready = inputs.request_ready});
  }
  [[nodiscard]] bool malformed(const RmaCommand& command) const;
  [[nodiscard]] RmaTransfer transfer_of(const RmaCommand& command) const;
  [[nodiscard]] ReplyEvents judge_reply(const ReceivedWord& reply, bool write_ready) const;
  void clock_reply(const ReceivedWord& reply, const ReplyEvents& events);

  RmaParameters parameters_;
  NodeId node_;
  SlotId slot_;
  Fifo<RmaCommand> commands_;  ///< the command that runs stays at the head until it is complete
  State state_ = State::kIdle;
  RmaSender sender_;
  Reply reply_ = Reply::kHeader0;
  Kind reply_kind_ = Kind::kMessage;
  NodeId reply_source_;
  std::uint16_t reply_bytes_ = 0;  ///< of this packet, still to come
  std::uint32_t get_address_ = 0;  ///< where the next word of the GET's reply belongs
  std::uint32_t get_left_ = 0;     ///< bytes of the GET still to come
  std::uint32_t completed_ = 0;
  std::uint16_t unacknowledged_ = 0;
  RmaError error_;
};

}  // namespace tidings::cycle
