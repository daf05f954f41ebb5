// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file crosspoint_output.h
/// Twin of rtl/network/crosspoint_output.sv: output port of a crosspoint router.
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "generated/node_parameters.h"
#include "sim/cycle/arbiter.h"
#include "sim/cycle/fifo.h"
#include "sim/cycle/input_channel.h"

namespace tidings::cycle {

/// One cycle is: `choose` decides what its registers say; then `take_choice`, and `write` and `credit` for what comes
/// in: together they are the clock edge.
class CrosspointOutput {
 public:
  explicit CrosspointOutput(const NodeParameters& parameters);

  /// What leaves.
  struct Choice {
    unsigned message_class;
    unsigned input;
    BufferedWord word;
  };

  /// Decides what leaves in this cycle.
  void choose();
  [[nodiscard]] const std::optional<Choice>& choice() const { return choice_; }

  /// It has left.
  void take_choice();
  /// A word goes to the crosspoint of an input.
  void write(unsigned message_class, unsigned input, const BufferedWord& word) {
    Class& state = classes_[message_class];
    state.crosspoints[input].push(word);
    state.waiting |= std::uint64_t{1} << input;
  }
  /// A place of the buffer downstream became free.
  void credit(unsigned message_class) { ++classes_[message_class].credits; }

 private:
  struct Class {
    std::vector<Fifo<BufferedWord>> crosspoints;  ///< by input
    WideArbiter turns;
    WideArbiter plain_turns;  ///< of the packets that are not chosen for their fullness
    std::uint32_t credits;
    std::uint64_t waiting = 0;  ///< crosspoints with a flit, one bit each
    std::uint64_t owner = 0;    ///< the input that has the port, one-hot; zero if it is free
    std::uint8_t packets = 0;   ///< chosen since the last one that was not for its fullness
  };

  /// The next packet is chosen without looking at how full crosspoints are.
  [[nodiscard]] bool is_plain(const Class& state) const;

  /// The fullest of these crosspoints.
  [[nodiscard]] static std::uint64_t fullest(const Class& state, std::uint64_t requests);

  bool fullest_first_;
  std::vector<Class> classes_;
  Arbiter class_turns_;
  std::optional<Choice> choice_;
};

}  // namespace tidings::cycle
