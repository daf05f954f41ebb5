// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file stream_engine.h
/// Twin of rtl/engine/stream_engine.sv: words in and out of the network through registers.
#include <array>
#include <cstdint>
#include <optional>

#include "generated/node_parameters.h"
#include "generated/registers.h"
#include "sim/cycle/arbiter.h"
#include "sim/cycle/engine.h"
#include "sim/cycle/fifo.h"
#include "sim/cycle/stream_network.h"
#include "sim/cycle/voq_memory.h"

namespace tidings::cycle {

class StreamEngine : public SlotEngine {
 public:
  StreamEngine(const NodeParameters& parameters, NodeId node, SlotId slot);

  void show(const ReceivedWords& rx, std::uint32_t rx_valid, const BusRequest* bus,
            EngineOutputs& shown) const override;
  [[nodiscard]] bool takes(unsigned, const ReceivedWord&, std::uint32_t, bool) const override { return true; }
  [[nodiscard]] bool busy() const override;
  [[nodiscard]] Flit flit(unsigned message_class, const BusRequest* bus) const override;
  [[nodiscard]] std::uint32_t read_address(unsigned, const BusRequest*) const override { return 0; }
  void write(unsigned, const ReceivedWords&, MemoryWrite& shown) const override { shown = {}; }
  [[nodiscard]] std::uint32_t read_register(std::uint16_t address) const override;
  EngineReport clock(const EngineInputs& inputs) override;

 private:
  static constexpr unsigned kMatches = registers::StreamMatch::kCount;
  static constexpr unsigned kQueues = registers::StreamReceive::kCount;
  static constexpr unsigned kPeers = registers::StreamPeer::kCount;
  static constexpr std::uint32_t kCreditsMask = (1U << registers::StreamCredits::kWordsField.width) - 1;

  /// A word in a receive queue.
  struct Entry {
    std::uint8_t peer = 0;  ///< of the origin
    std::uint32_t word = 0;
  };
  /// A receive queue, whose words are in the store, and what software has read of it.
  struct Queue {
    std::uint32_t words = 0;
    std::uint32_t packets = 0;  ///< that have come and are not read from yet
    std::uint32_t unread = 0;   ///< words of the packet that software reads
    bool owed = false;          ///< a packet has been read, and its credits have not left
    StreamOrigin origin;        ///< of the packet that software reads
    std::uint8_t peer = 0;
  };
  enum class State : std::uint8_t { kIdle, kHeader0, kHeader1, kPayload };

  [[nodiscard]] bool available(unsigned q) const {
    const Queue& queue = queues_[q];
    // A packet is shown when all of it has come, or word by word.
    if (network_) return queue.words != 0 && !queue.owed;
    return queue.unread != 0 || (queue.packets != 0 && !queue.owed);
  }
  [[nodiscard]] std::uint32_t available() const;
  /// Queues whose credits have not left, one bit each.
  [[nodiscard]] std::uint32_t owed() const;
  [[nodiscard]] unsigned peer() const { return send_.peer % kPeers; }
  [[nodiscard]] std::uint32_t need() const { return send_.length + 1; }
  [[nodiscard]] bool complete() const { return pending_ && wanted_ == 0 && credits_[peer()] >= need(); }
  /// The queue that takes packets with a tag.
  [[nodiscard]] unsigned target(std::uint32_t tag) const;
  /// In words of payload.
  [[nodiscard]] std::uint32_t longest_packet() const {
    return network_ ? tidings_pkg::kStreamLongestPacket : parameters_.stream_store_words - 1;
  }
  /// A word of its own network has a place.
  [[nodiscard]] bool takes(const ReceivedWord& word) const;
  /// A write of such a length to `send` begins a packet.
  [[nodiscard]] bool begins(std::uint32_t length) const {
    return !pending_ && length != 0 && length <= longest_packet();
  }
  /// There is room for the packet whose second header word comes in.
  [[nodiscard]] bool fits(const ReceivedWord& word) const;
  void write(std::uint16_t address, std::uint32_t data);
  /// A word goes to the queue of the packet that comes in.
  void put(const Entry& entry);

  NodeParameters parameters_;
  NodeId node_;
  SlotId slot_;

  std::array<registers::StreamMatch, kMatches> matches_;
  std::array<registers::StreamPeer, kPeers> peers_;
  registers::StreamEnable enable_;
  registers::StreamError error_;
  registers::StreamSend written_send_;  ///< as last written
  std::uint32_t written_word_ = 0;      ///< as last written

  State state_ = State::kIdle;
  bool pending_ = false;        ///< a packet is under way: it is written, waits or leaves
  registers::StreamSend send_;  ///< as it was when the packet began
  std::uint32_t wanted_ = 0;    ///< words still to be written
  std::uint32_t left_ = 0;      ///< words still to be sent
  bool sends_credit_ = false;   ///< the packet that leaves is one of credits
  std::uint32_t granted_ = 0;   ///< the queue whose credits they are, one-hot
  Fifo<std::uint32_t> out_;
  std::array<std::uint32_t, kPeers> credits_{};
  Arbiter credit_turns_;
  VoqMemory<Entry> store_;
  std::array<Queue, kQueues> queues_;

  std::optional<StreamNetwork> network_;  ///< of its own; none: packets go over that of all engines

  Kind kind_ = Kind::kWords;  ///< of the packet that comes in
  bool accepted_ = false;     ///< it has room
  unsigned target_ = 0;
  bool failed_ = false;  ///< something has gone wrong in the last cycle
};

}  // namespace tidings::cycle
