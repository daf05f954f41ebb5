// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file voq_port.h
/// Twin of rtl/network/voq_port.sv: input port of a crosspoint router.
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/arbiter.h"
#include "sim/cycle/fifo.h"
#include "sim/cycle/input_channel.h"
#include "sim/cycle/voq_memory.h"

namespace tidings::cycle {

/// Round robin among the queues for outputs and the line, which comes behind all of them. Together they may be more
/// than a word has bits.
class QueueTurns {
 public:
  /// What a word may leave: queues, one bit each, and the line.
  struct Requests {
    std::uint64_t queues = 0;
    bool line = false;
    [[nodiscard]] bool any() const { return queues != 0 || line; }
  };

  explicit QueueTurns(unsigned line_number) : line_number_(line_number) {}

  /// The number of the winner among some requests.
  [[nodiscard]] unsigned grant(const Requests& requests) const {
    const std::uint64_t first = requests.queues & above_;
    if (first == 0 && requests.line && (line_is_above_ || requests.queues == 0)) return line_number_;
    return static_cast<unsigned>(std::countr_zero(first != 0 ? first : requests.queues));
  }
  /// The clock edge of a cycle in which `grant` was used.
  void accept(unsigned winner) {
    line_is_above_ = winner != line_number_;
    above_ = line_is_above_ ? ~std::uint64_t{1} << winner : 0;
  }

 private:
  unsigned line_number_;
  std::uint64_t above_ = 0;  ///< ones above the last winner
  bool line_is_above_ = false;
};

/// One cycle is: `choose` decides what its registers say, and `serve` answers a lookup; then `receive` and `freed` tell
/// what comes in; then `clock`.
class VoqPort {
 public:
  explicit VoqPort(const NodeParameters& parameters);

  /// A word for crosspoints.
  struct Write {
    unsigned message_class;
    std::uint64_t outputs;  ///< one bit each
    BufferedWord word;
  };

  /// Decides which queue a flit leaves, and which classes get a credit.
  void choose();
  /// Credits for the slot, one bit per class.
  [[nodiscard]] unsigned credits() const { return credits_; }
  /// The next clock edge changes something even if nothing comes in.
  [[nodiscard]] bool busy() const { return moving_ || grant_ || credits_ != 0 || looks(); }

  /// The static route that the packet at the front of the line looks up.
  [[nodiscard]] std::optional<std::uint32_t> lookup() const;
  /// Its outputs, one bit each.
  void serve(std::uint64_t outputs) { served_ = outputs; }

  /// A flit arrives, and its class has a credit.
  void receive(unsigned message_class, const BufferedWord& word) {
    arriving_ = {.message_class = message_class, .word = word};
  }
  /// A flit leaves the crosspoint of an output.
  void freed(unsigned message_class, unsigned output) {
    freed_.push_back({.message_class = message_class, .output = output});
  }
  /// The clock edge. @return what the bus has carried.
  std::optional<Write> clock();

 private:
  struct Class {
    VoqMemory<> queues;
    QueueTurns turns;
    std::vector<std::uint32_t> room;  ///< of the crosspoint of each output
    std::uint64_t has_room;           ///< the same, one bit each
    std::optional<unsigned> stay;     ///< the queue whose packet has begun to leave
    std::uint32_t held;               ///< credits of the slot, with those of flits under way
    unsigned queue = 0;               ///< of the packet that is arriving: its output, or the line
    bool inside = false;              ///< its head has arrived, its tail has not
  };

  /// Static packets of class 0, and those that came behind them.
  struct Line {
    Fifo<BufferedWord> words;
    std::uint64_t outputs = 0;  ///< of the packet at the front, one bit each
    bool known = false;         ///< they are
    bool begun = false;         ///< its head has left
  };
  struct Arrival {
    unsigned message_class;
    BufferedWord word;
  };
  struct Grant {
    unsigned message_class;
    unsigned queue;
  };
  struct Freed {
    unsigned message_class;
    unsigned output;
  };

  static void take_room(Class& state, std::uint64_t outputs);
  [[nodiscard]] unsigned output_of(std::uint32_t header) const;
  /// The queue of a packet that arrives.
  [[nodiscard]] unsigned queue_of(unsigned message_class, std::uint32_t header) const;
  /// The number of the queue that is the line.
  [[nodiscard]] unsigned line_number() const { return outputs_; }
  /// Outputs of the packet at the front of the line are not known yet.
  [[nodiscard]] bool looks() const { return line_ && !line_->words.empty() && !line_->known; }
  /// A word may leave the line.
  [[nodiscard]] bool line_moves() const;
  /// Queues of a class that a word may leave.
  [[nodiscard]] QueueTurns::Requests eligible(unsigned message_class) const;
  /// Words in the queues of a class.
  [[nodiscard]] std::uint32_t stored(unsigned message_class) const;
  /// A word leaves a queue. @return it.
  Write leave(const Grant& grant);

  std::uint32_t outputs_;
  std::uint32_t slot_buffer_flits_;
  std::uint32_t voq_flits_;
  std::uint32_t static_flits_;
  std::vector<Class> classes_;
  std::optional<Line> line_;  ///< without static routes there is none
  Arbiter class_turns_;
  std::optional<Write> moving_;  ///< on the bus in this cycle, from a queue
  std::optional<Grant> grant_;   ///< a word leaves its queue in this cycle
  std::optional<Arrival> arriving_;
  std::optional<std::uint64_t> served_;  ///< the lookup of this cycle
  std::vector<Freed> freed_;
  unsigned credits_ = 0;
};

}  // namespace tidings::cycle
