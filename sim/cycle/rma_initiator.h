// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file rma_initiator.h
/// Twin of rtl/engine/rma_initiator.sv: runs the commands of a slot and takes in the replies to them.
#include <array>
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
  [[nodiscard]] bool idle() const { return commands_.empty() && under_way_.empty() && unacknowledged_ == 0; }
  /// So it is from the next cycle on, unless a command comes now.
  [[nodiscard]] bool quiet(const ReceivedWord& reply) const {
    if (!commands_.empty() || !under_way_.empty()) return false;
    return unacknowledged_ == 0 || (unacknowledged_ == 1 && judge_reply(reply, false).acknowledged);
  }
  [[nodiscard]] bool busy() const {
    return state_ != State::kIdle || (!under_way_.empty() && gets_[under_way_.front().number].done) ||
           (!commands_.empty() && begin_of(&commands_.front()) != Begin::kNothing);
  }
  /// What is offered in a cycle. @param command a new one, if any.
  [[nodiscard]] bool request_valid(const RmaCommand* command) const;
  [[nodiscard]] Flit request_flit(const RmaCommand* command) const;
  [[nodiscard]] bool read_valid(const RmaCommand* command) const {
    return (begin(command) == Begin::kSend && !brings_data(*head(command))) || sender_.read_valid();
  }
  [[nodiscard]] std::uint32_t read_address(const RmaCommand* command) const {
    return begin(command) == Begin::kSend ? head(command)->local_address : sender_.read_address();
  }
  [[nodiscard]] bool reply_ready(bool write_ready) const { return reply_ != Reply::kPayload || !fits() || write_ready; }
  [[nodiscard]] bool write_valid(const ReceivedWord& reply) const {
    return reply_ == Reply::kPayload && fits() && reply.valid;
  }
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

  /// So it is in this cycle, and words of payload are all that leaves: only the clock edge of `sender` changes
  /// anything.
  [[nodiscard]] bool sends_words() const { return state_ == State::kSend && sender_.sends_words(); }

  [[nodiscard]] std::uint32_t steady_cycles(const MemoryPort& memory, Cycle first, std::uint32_t most) const {
    return state_ == State::kSend ? sender_.steady_cycles(memory, first, most) : 0;
  }
  /// The cycles in which it sends on.
  [[nodiscard]] RmaSender& sender() { return sender_; }
  [[nodiscard]] const RmaSender& sender() const { return sender_; }

 private:
  enum class State : std::uint8_t { kIdle, kSend, kHeader1, kOffset, kBytes };
  enum class Reply : std::uint8_t { kHeader0, kHeader1, kPayload, kDrop };
  /// What a command does when it is its turn.
  enum class Begin : std::uint8_t { kNothing, kVoid, kSend, kGet };

  /// A GET under way, by its number.
  struct Get {
    bool open = false;  ///< replies are to come
    bool done = false;  ///< all have come, while an earlier GET's have not
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    std::uint32_t written = 0;  ///< words
  };

  /// A GET that is not complete.
  struct UnderWay {
    std::uint8_t number = 0;
    bool notify = false;
  };

  /// What the words of replies say in one cycle.
  struct ReplyEvents {
    bool acknowledged = false;
    bool nacked = false;
    bool unexpected = false;
    bool get_done = false;
    std::uint8_t done_number = 0;
    bool word_written = false;
    Reply next = Reply::kHeader0;
  };

  [[nodiscard]] bool full() const {
    return commands_.count() + under_way_.count() == parameters_.node.rma_command_depth;
  }
  /// The command whose turn it is, if any. @param command a new one, if any.
  [[nodiscard]] const RmaCommand* head(const RmaCommand* command) const {
    if (!commands_.empty()) return &commands_.front();
    return full() ? nullptr : command;
  }
  [[nodiscard]] Begin begin_of(const RmaCommand* command) const;
  /// What begins in this cycle. @param command a new one, if any.
  [[nodiscard]] Begin begin(const RmaCommand* command) const {
    const RmaCommand* const first = state_ == State::kIdle ? head(command) : nullptr;
    return first == nullptr ? Begin::kNothing : begin_of(first);
  }
  [[nodiscard]] std::uint8_t number() const { return static_cast<std::uint8_t>(issued_ % number_limit_); }
  [[nodiscard]] static AtomicLength access_of(const RmaCommand& command) {
    return AtomicLength::decode(static_cast<std::uint16_t>(command.length));
  }
  /// It is a PUT whose word is in the command.
  [[nodiscard]] static bool brings_data(const RmaCommand& command) {
    return command.operation == RmaOperation::kPut && command.inline_data;
  }
  [[nodiscard]] bool malformed(const RmaCommand& command) const;
  [[nodiscard]] RmaTransfer transfer_of(const RmaCommand& command) const;
  /// The packet under way has no more bytes than its GET lacks.
  [[nodiscard]] bool fits() const { return reply_bytes_ <= get_left_; }
  [[nodiscard]] ReplyEvents judge_reply(const ReceivedWord& reply, bool write_ready) const;
  void clock_reply(const ReceivedWord& reply, const ReplyEvents& events);

  RmaParameters parameters_;
  NodeId node_;
  SlotId slot_;
  Fifo<RmaCommand> commands_;  ///< those that have not begun, and the one that is being sent
  Fifo<UnderWay> under_way_;
  std::array<Get, kMaxGets> gets_{};
  std::uint32_t issued_ = 0;  ///< commands
  std::uint32_t number_limit_;
  State state_ = State::kIdle;
  RmaSender sender_;
  Reply reply_ = Reply::kHeader0;
  Kind reply_kind_ = Kind::kMessage;
  NodeId reply_source_;
  std::uint8_t reply_number_ = 0;
  std::uint16_t reply_bytes_ = 0;  ///< of this packet, still to come
  std::uint32_t get_address_ = 0;  ///< where the next word of the GET's reply belongs
  std::uint32_t get_left_ = 0;     ///< bytes of the GET still to come
  std::uint32_t completed_ = 0;
  std::uint16_t unacknowledged_ = 0;
  RmaError error_;
};

}  // namespace tidings::cycle
