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

  /// One clock edge; returns what happened in the cycle that it ends.
  Events clock(const ReceivedWord& reply, const Inputs& inputs);
  /// An edge without a word of a reply, a command, a word from memory or a clearing of the error changes nothing.
  [[nodiscard]] bool sleeps() const { return !busy(); }
  /// Without a word of a reply, a command or a clearing of the error, only `clock_words` changes anything.
  [[nodiscard]] bool sends_on(bool request_ready) const {
    return state_ == State::kSend && !sender_.done(request_ready);
  }
  /// The clock edge of a cycle in which the initiator sends on.
  void clock_words(bool request_ready, bool read_ready, bool data_valid, std::uint32_t data) {
    sender_.clock(
        {.start = nullptr, .read_ready = read_ready, .data_valid = data_valid, .data = data, .ready = request_ready});
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
