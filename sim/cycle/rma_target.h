// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file rma_target.h
/// Twin of rtl/engine/rma_target.sv: answers the requests of others.
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "sim/cycle/fifo.h"
#include "sim/cycle/registration_table.h"
#include "sim/cycle/rma_pkg.h"
#include "sim/cycle/rma_sender.h"
#include "sim/cycle/slot_packet_mux.h"
#include "sim/cycle/slot_receiver.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

class RmaTarget {
 public:
  /// What enters the target in one cycle, but for the words of requests.
  struct Inputs {
    bool reply_ready = false;
    bool read_ready = false;
    bool data_valid = false;
    std::uint32_t data = 0;
    bool write_ready = false;
  };

  RmaTarget(const RmaParameters& parameters, NodeId node, SlotId slot);

  [[nodiscard]] std::uint16_t queue_tail() const { return tail_; }
  [[nodiscard]] bool busy() const {
    return !answers_.empty() || get_.has_value() || sender_.busy() || state_ == State::kAtomic;
  }
  [[nodiscard]] bool read_valid(const ReceivedWord& request) const {
    return starts() || sender_.read_valid() || atomic_read(request);
  }
  [[nodiscard]] std::uint32_t read_address() const {
    if (atomic_turn()) return write_address_ + 4 * asked_;
    return starts() ? get_->source : sender_.read_address();
  }
  [[nodiscard]] bool reply_valid() const { return reply_source() != 0; }
  [[nodiscard]] Flit reply_flit() const {
    if (reply_source() != kSender) return answer_flit();
    return starts() ? sender_.first_flit(*get_) : sender_.flit();
  }
  [[nodiscard]] bool write_valid(const ReceivedWord& request, const RmaQueue& queue) const {
    return word_valid(request, queue) && !to_routes();
  }
  /// The word is for the router's table of static routes.
  [[nodiscard]] bool route_valid(const ReceivedWord& request, const RmaQueue& queue) const {
    return word_valid(request, queue) && to_routes();
  }
  /// Words go to the router's table of static routes: its `ready` counts below, not the memory's.
  [[nodiscard]] bool to_routes() const { return kind_ == Kind::kPut && table_.routes(); }
  /// @param shown as SlotEngine::write has it.
  void write(const ReceivedWord& request, const RmaQueue& queue, MemoryWrite& shown) const;
  [[nodiscard]] bool request_ready(const ReceivedWord& request, const RmaQueue& queue, bool write_ready) const;

  /// One clock edge.
  void clock(const ReceivedWord& request, std::span<const RmaRegion> regions, const NameTable& names,
             const RmaQueue& queue, const Inputs& inputs);
  /// An edge without a word of a request or from memory changes nothing.
  [[nodiscard]] bool sleeps() const { return !busy(); }
  /// Without a word from memory or a tail, only `clock_words` changes anything.
  [[nodiscard]] bool receives_on() const { return state_ == State::kPayload && !busy(); }
  /// The clock edge of a cycle in which the target receives on.
  void clock_words(const ReceivedWord& request, bool write_ready) {
    if (request.valid && left_ != 0 && write_ready) count_written();
  }
  /// The same, if a word of payload is written in the cycle.
  void clock_written() { count_written(); }
  /// A word of payload that is offered is written.
  [[nodiscard]] bool writes_payload() const { return receives_on() && left_ != 0; }
  /// So that it is.
  void write_payload(std::uint32_t word, MemoryWrite& shown) const {
    shown.address = write_address_;
    shown.strobe = tail_strobe(left_);
    shown.data = word;
  }

  /// In how many cycles a word of payload is written, and another is after each. At most `most`.
  [[nodiscard]] std::uint32_t steady_cycles(const MemoryPort& memory, std::uint32_t most) const {
    if (!receives_on() || left_ == 0 || !memory.holds(write_address_, left_)) return 0;
    return std::min<std::uint32_t>(most, (left_ - 1U) / kWordBytes);
  }
  /// Those cycles, and what is written after each of their edges. @param words that are received then.
  void receive_on(MemoryPort& memory, std::span<const std::uint32_t> words) {
    const std::size_t whole = std::min<std::size_t>(words.size(), left_ / kWordBytes - 1U);
    if (whole != 0) memory.write(write_address_ + kWordBytes, words.first(whole));
    left_ = static_cast<std::uint16_t>(left_ - kWordBytes * whole);
    write_address_ += static_cast<std::uint32_t>(kWordBytes * whole);
    for (const std::uint32_t word : words.subspan(whole)) {
      count_written();
      memory.write({.address = write_address_, .strobe = tail_strobe(left_), .data = word});
    }
  }
  /// Where the payload is written that is still to come.
  [[nodiscard]] std::uint32_t write_address() const { return write_address_; }
  [[nodiscard]] std::uint32_t bytes_left() const { return left_; }

 private:
  static constexpr unsigned kWordBytes = NodeMemory::kWordBytes;

  enum class State : std::uint8_t { kHeader0, kHeader1, kOffset, kBytes, kWord, kPayload, kDrop, kAtomic };
  /// Sources of replies.
  static constexpr std::uint32_t kAnswer = 1, kSender = 2;

  /// What the requests' state machine decides in one cycle.
  struct Decision {
    State next = State::kHeader0;
    bool refuse = false;
    Nack nack = Nack::kBadPacket;
    bool get = false;
    bool answer = false;  ///< is owed
    bool message_received = false;
  };

  /// A word of payload is written.
  void count_written() {
    left_ = left_ <= 4 ? 0 : static_cast<std::uint16_t>(left_ - 4);
    write_address_ += 4;
  }
  [[nodiscard]] bool word_valid(const ReceivedWord& request, const RmaQueue& queue) const;
  /// A GET begins to be answered in this cycle.
  [[nodiscard]] bool starts() const { return get_.has_value() && sender_.start_ready(); }
  /// There is room for a GET.
  [[nodiscard]] bool get_ready() const { return !get_.has_value() || sender_.start_ready(); }
  [[nodiscard]] std::uint32_t reply_source() const {
    return replies_.source((answers_.empty() ? 0 : kAnswer) | (starts() || sender_.valid() ? kSender : 0));
  }
  /// An access as a word of a request completes it.
  struct Access {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
  };
  [[nodiscard]] Access access(const ReceivedWord& request) const;
  /// The packet is an atomic access.
  [[nodiscard]] bool atomic() const {
    return parameters_.node.rma_atomics && kind_ == Kind::kGet && GetInfo::decode(header1_.info).atomic;
  }
  [[nodiscard]] AtomicLength atomic_length() const { return AtomicLength::decode(header1_.length); }
  /// Words of its old value.
  [[nodiscard]] std::uint32_t atomic_words() const { return atomic_length().bytes / 4U; }
  [[nodiscard]] Nack judge(const Access& access) const;
  /// An old value is to be sent.
  [[nodiscard]] bool value_owed() const {
    return (answers_.count() > 0 && answers_[0].atomic) || (answers_.count() > 1 && answers_[1].atomic);
  }
  /// An atomic access has memory to itself.
  [[nodiscard]] bool atomic_turn() const {
    return state_ == State::kAtomic && !get_.has_value() && !sender_.busy() && !value_owed();
  }
  /// It reads a word.
  [[nodiscard]] bool atomic_read(const ReceivedWord& request) const {
    return atomic_turn() && asked_ != atomic_words() && (left_ == 0 || (request.valid && request.last && left_ == 4));
  }
  /// It writes a word.
  [[nodiscard]] bool atomic_write() const { return atomic_turn() && left_ == 0 && got_ == atomic_words(); }
  void clock_atomic(const ReceivedWord& request, bool taken, const Inputs& inputs);
  /// The word of a PUT of one word is to be written.
  [[nodiscard]] bool word_allowed(const ReceivedWord& request) const;
  [[nodiscard]] RmaAnswer answer_of(const ReceivedWord& request, const Decision& decision) const;
  [[nodiscard]] Flit answer_flit() const;
  [[nodiscard]] bool asks_for_ack() const { return kind_ == Kind::kPut && PutInfo::decode(header1_.info).ack; }
  [[nodiscard]] Nack judge_message(const Header1& header1, const RmaQueue& queue) const;
  /// The word is the second of a message that has a slot.
  [[nodiscard]] bool accepted_message(const ReceivedWord& request, const RmaQueue& queue) const;
  [[nodiscard]] std::uint32_t slot_address(const RmaQueue& queue) const;
  /// @param access_nack verdict on the access that the word completes.
  [[nodiscard]] Decision decide(const ReceivedWord& request, const RmaQueue& queue, bool taken, Nack access_nack,
                                bool atomic_done) const;

  RmaParameters parameters_;
  NodeId node_;
  SlotId slot_;
  RegistrationTable table_;
  State state_ = State::kHeader0;
  Kind kind_ = Kind::kMessage;
  NodeId source_;
  Header1 header1_;
  Nack nack_ = Nack::kNone;
  std::uint32_t offset_ = 0;
  std::uint32_t write_address_ = 0;
  std::uint16_t left_ = 0;  ///< payload bytes still to come
  std::uint16_t tail_ = 0;
  std::optional<RmaTransfer> get_;  ///< the answer to a GET that has not begun
  RmaSender sender_;
  Fifo<RmaAnswer> answers_{2};
  std::uint32_t answer_place_ = 0;           ///< of the next word of the oldest answer
  std::array<std::uint32_t, 2> old_{};       ///< value, before an atomic access
  std::array<std::uint32_t, 4> operands_{};  ///< two words, and two of what is compared
  std::uint32_t operands_taken_ = 0;
  std::uint32_t asked_ = 0, got_ = 0, written_ = 0;  ///< words of an atomic access
  SlotPacketMux replies_;
};

}  // namespace tidings::cycle
