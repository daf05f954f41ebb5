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
#include "sim/cycle/input_channel.h"
#include "sim/cycle/voq_memory.h"

namespace tidings::cycle {

/// One cycle is: `choose` decides what its registers say; then `receive` and `freed` tell what comes in; then `clock`.
class VoqPort {
 public:
  explicit VoqPort(const NodeParameters& parameters);

  /// A word for a crosspoint.
  struct Write {
    unsigned message_class;
    unsigned output;
    BufferedWord word;
  };

  /// Decides which queue a flit leaves, and which classes get a credit.
  void choose();
  /// Credits for the slot, one bit per class.
  [[nodiscard]] unsigned credits() const { return credits_; }
  /// The next clock edge changes something even if nothing comes in.
  [[nodiscard]] bool busy() const { return moving_ || grant_ || credits_ != 0; }

  /// A flit arrives, and its class has a credit.
  void receive(unsigned message_class, const BufferedWord& word) {
    arriving_ = {.message_class = message_class, .output = 0, .word = word};
  }
  /// A flit leaves the crosspoint of an output.
  void freed(unsigned message_class, unsigned output) {
    freed_.push_back({.message_class = message_class, .output = output, .word = {}});
  }
  /// The clock edge. @return what the bus has carried.
  std::optional<Write> clock();

 private:
  struct Class {
    VoqMemory queues;
    WideArbiter turns;                ///< of the queues
    std::vector<std::uint32_t> room;  ///< of the crosspoint of each output
    std::uint64_t has_room;           ///< the same, one bit each
    std::uint64_t stay = 0;           ///< the queue whose packet has begun to leave, one-hot
    std::uint32_t held;               ///< credits of the slot, with those of flits under way
    std::uint32_t output = 0;         ///< of the packet that is arriving
    bool inside = false;              ///< its head has arrived, its tail has not
  };

  static void take_room(Class& state, unsigned output) {
    if (--state.room[output] == 0) state.has_room &= ~(std::uint64_t{1} << output);
  }
  [[nodiscard]] unsigned output_of(std::uint32_t header) const;

  std::uint32_t outputs_;
  std::uint32_t slot_buffer_flits_;
  std::uint32_t voq_flits_;
  std::vector<Class> classes_;
  Arbiter class_turns_;
  std::optional<Write> moving_;    ///< on the bus in this cycle, from a queue
  std::optional<Write> grant_;     ///< leaves its queue in this cycle, without the word
  std::optional<Write> arriving_;  ///< the output is found at the clock edge
  std::vector<Write> freed_;       ///< without words
  unsigned credits_ = 0;
};

}  // namespace tidings::cycle
