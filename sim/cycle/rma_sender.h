// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file rma_sender.h
/// Twin of rtl/engine/rma_sender.sv: reads a run of bytes from node memory and sends it as packets; sends a word that
/// the transfer brings itself, too.
#include <cstdint>
#include <span>

#include "sim/cycle/engine.h"
#include "sim/cycle/fifo.h"
#include "sim/cycle/rma_pkg.h"
#include "sim/machine/memory_port.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

class RmaSender {
 public:
  /// What enters the sender in one cycle. `start` points to a transfer that is offered, if any.
  struct Inputs {
    const RmaTransfer* start = nullptr;
    bool read_ready = false;
    bool data_valid = false;
    std::uint32_t data = 0;
    bool ready = false;
  };

  RmaSender(std::uint32_t packet_words, NodeId node, SlotId slot);

  [[nodiscard]] bool busy() const { return state_ != State::kIdle; }
  [[nodiscard]] bool start_ready() const { return !busy(); }
  /// These are of a cycle in which no transfer is taken. One that is taken asks for its first word and offers its first
  /// header word.
  [[nodiscard]] bool read_valid() const { return reads_left_ != 0 && reserved_ != kBufferWords; }
  [[nodiscard]] std::uint32_t read_address() const { return read_address_; }
  [[nodiscard]] bool valid() const { return state_ == State::kPayload ? word_here() : busy(); }
  [[nodiscard]] Flit flit() const;
  /// The first header word of a transfer.
  [[nodiscard]] Flit first_flit(const RmaTransfer& transfer) const {
    return {.vc = 0, .last = false, .data = Header0{transfer.kind, transfer.slot, transfer.node, node_}.encode()};
  }
  /// The last word of the transfer leaves in this cycle.
  [[nodiscard]] bool done(bool ready) const { return ready && valid() && last() && last_packet(); }

  /// One clock edge.
  void clock(const Inputs& inputs);

  /// A packet's words of payload leave, read from memory, and this cycle's is not its tail.
  [[nodiscard]] bool sends_words() const {
    return state_ == State::kPayload && !transfer_.inline_data && packet_words_left_ != 1;
  }
  /// `clock` in such a cycle. @param data the word that comes from memory, if any.
  void clock_word(bool read_ready, const std::uint32_t* data, bool sent) {
    if (sent) {
      words_.pop();
      --packet_words_left_;
      --reserved_;
    }
    if (data != nullptr) words_.push(*data);
    if (read_ready) {
      --reads_left_;
      read_address_ += kWordBytes;
      ++reserved_;
    }
  }
  /// What such a packet offers: a word of payload, or its tail.
  [[nodiscard]] bool has_word() const { return !words_.empty(); }
  [[nodiscard]] std::uint32_t word() const { return words_.front(); }
  [[nodiscard]] bool is_tail() const { return packet_words_left_ == 1; }

  /// In how many cycles from `first` on a word of payload leaves that is no tail, if every word that is offered leaves,
  /// and another is offered after each. At most `most`.
  [[nodiscard]] std::uint32_t steady_cycles(const MemoryPort& memory, Cycle first, std::uint32_t most) const;
  /// Those cycles, and what is read after each of their edges. @param words those that leave.
  SteadyReads send_on(MemoryPort& memory, Cycle first, std::span<std::uint32_t> words);
  /// Words that are still to be read.
  [[nodiscard]] std::uint32_t reads_left() const { return reads_left_; }

 private:
  static constexpr std::uint32_t kBufferWords = 64;
  static constexpr std::uint32_t kWordBytes = NodeMemory::kWordBytes;
  enum class State : std::uint8_t { kIdle, kHeader0, kHeader1, kAddress, kPayload };

  [[nodiscard]] bool last_packet() const { return transfer_.whole || transfer_.bytes <= packet_bytes_; }
  /// The next word of the run has come, or is the transfer's own.
  [[nodiscard]] bool word_here() const { return transfer_.inline_data || !words_.empty(); }
  [[nodiscard]] bool last() const { return state_ == State::kPayload && packet_words_left_ == 1; }
  [[nodiscard]] std::uint32_t bytes_of_packet() const { return last_packet() ? transfer_.bytes : packet_bytes_; }

  std::uint32_t packet_bytes_;
  NodeId node_;
  SlotId slot_;
  State state_ = State::kIdle;
  RmaTransfer transfer_;  ///< `address` and `bytes` are those of the current packet on
  std::uint32_t packet_words_left_ = 0;
  std::uint32_t read_address_ = 0;
  std::uint32_t reads_left_ = 0;
  std::uint32_t reserved_ = 0;  ///< words asked for and not yet sent
  Fifo<std::uint32_t> words_{kBufferWords};
};

}  // namespace tidings::cycle
