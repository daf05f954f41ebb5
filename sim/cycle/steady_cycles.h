// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file steady_cycles.h
/// Cycles of a machine that are all alike, stepped at once.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/cycle/in_flight.h"
#include "sim/cycle/node.h"
#include "sim/machine/memory_port.h"
#include "sim/machine/types.h"

namespace tidings::cycle {

/// In the middle of packets, a machine does the same in every cycle: the same channels give a word and get one, the
/// same credits come in, the same engines read and write. Such cycles follow from one another, so only the first is
/// looked at, and then words are moved through one place after another, all cycles of it at once.
///
/// Cycles are alike until, in the next of them,
///  - links bring something to other channels than before, or a tail;
///  - a tail leaves a channel, or a channel runs out of words or of credits;
///  - an engine does anything but send or take a word of payload, or the words of its packet or of its buffer end.
/// They are not looked for where a head waits that could leave, two channels ask for a port, or a packet is not a
/// unicast.
class SteadyCycles {
 public:
  using Nodes = RoutersWithSlots<Slot>;

  SteadyCycles(const RouterPlan& plan, std::uint32_t nodes);

  /// It is time to look again.
  [[nodiscard]] bool may_look(Cycle first) const { return first >= not_before_; }
  /// If so: from `first` on there may be cycles that are worth it.
  [[nodiscard]] bool worthwhile(const InFlight& wires, Cycle first) {
    cycles_ = wires.repeats(first, kLeast);
    if (cycles_ == kLeast) return true;
    wait(first);
    return false;
  }

  /// How many cycles from `first` on, which is stepped next, are alike: at most `most`, or 0. Changes nothing but this.
  /// @param most no more than a link's latency. @param far_ends of a channel: the one at the other end of its link.
  std::uint64_t find(Nodes& nodes, const InFlight& wires, std::span<const std::uint32_t> far_ends, Cycle first,
                     std::uint64_t most, std::span<MemoryPort> memories);
  /// Step those that have been found. @param link_flits of a link: flits that have left.
  /// @return evaluations of nodes.
  std::uint64_t step(Nodes& nodes, InFlight& wires, std::uint32_t latency, std::vector<std::uint64_t>& link_flits);

 private:
  /// What is looked at pays from this number of cycles on, and the words of no more are kept.
  static constexpr std::uint64_t kLeast = 6, kMost = 128;
  /// After `kLooks` looks in vain, one after the other, `kPause` cycles pass between two, and twice as many after as
  /// many more, up to `kMostDoubled` times: short packets have none.
  static constexpr std::uint32_t kLooks = 8, kPause = 8, kMostDoubled = 3;
  /// What a channel is in the cycles.
  static constexpr std::uint8_t kFilled = 1;    ///< a word comes in
  static constexpr std::uint8_t kCredited = 2;  ///< a credit comes in for the output channel of this number
  static constexpr std::uint8_t kAsked = 4;     ///< the first of an output port: a word leaves through it

  struct SlotAtWork {
    std::size_t slot;
    SteadyStream stream;
    std::uint32_t sends_on;  ///< its input channel of the router
    std::uint32_t takes;     ///< its output channel of the router
    bool credit;
  };
  /// A word leaves an input channel in every cycle.
  struct Move {
    std::uint32_t input;
    std::uint32_t output;
  };

  void begin();
  /// A look was in vain. What ends the cycles that have been found, or keeps them from beginning, is over by the next.
  void wait(Cycle first) {
    not_before_ = first + (cycles_ < kLeast ? cycles_ : 0) + 1;
    if (vain_looks_ >= kLooks) not_before_ = not_before_ + (kPause << (vain_looks_ / kLooks - 1));
    if (vain_looks_ < kLooks * (kMostDoubled + 1)) ++vain_looks_;
  }
  void mark(std::uint32_t channel, std::uint8_t what) {
    if (marks_[channel] == 0) marked_.push_back(channel);
    marks_[channel] |= what;
  }
  [[nodiscard]] bool has(std::uint32_t channel, std::uint8_t what) const { return (marks_[channel] & what) != 0; }
  /// A word comes into an input channel in every cycle, and a node is at work for it.
  void fill(std::uint32_t channel, std::uint32_t words);
  /// The slot that ended the last look does something else still.
  [[nodiscard]] bool still_other(Nodes& nodes, std::span<MemoryPort> memories);
  bool find_slots(Nodes& nodes, Cycle first, std::span<MemoryPort> memories);
  bool find_moves(const Routers& routers);
  bool find_move(const Routers& routers, std::uint32_t channel);
  /// What slots and routers show each other goes on.
  [[nodiscard]] bool slots_agree() const;
  [[nodiscard]] std::uint32_t* words(std::size_t number) { return &words_[number * kMost]; }
  /// Room for the words of one more place. @return its number.
  std::uint32_t add_words();
  std::uint64_t count_evaluations(Routers& routers);

  const RouterPlan* plan_;
  Cycle not_before_;
  Cycle first_;
  std::uint64_t most_ = 0;  ///< that are looked at
  std::uint64_t cycles_ = 0;
  std::optional<std::uint32_t> other_;  ///< the slot that does something else, by its number
  std::uint32_t vain_looks_ = 0;        ///< since cycles have been found
  std::vector<std::uint8_t> marks_;     ///< by channel
  std::vector<std::uint32_t> marked_;   ///< channels with any
  std::vector<std::uint32_t> sources_;  ///< a filled channel: the number of its words
  std::vector<std::uint64_t> filled_;   ///< filled channels, one bit each
  std::vector<std::uint32_t> wire_words_, wire_channels_, credits_;
  std::vector<bool> at_work_;  ///< nodes with a slot at work, or with something from a link
  std::vector<bool> sends_;    ///< nodes whose router sends
  std::vector<SlotAtWork> slots_;
  std::vector<Move> moves_;
  std::vector<std::uint32_t*> arriving_;         ///< words that come over links
  std::vector<InFlight::Alike::Words> leaving_;  ///< and that leave over them
  std::vector<std::uint32_t> given_;             ///< channels whose credits leave over links
  std::vector<std::uint32_t> words_;             ///< kMost for each place that words come from
  std::uint32_t places_ = 0;
};

}  // namespace tidings::cycle
