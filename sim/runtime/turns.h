// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file turns.h
/// Who works: the simulator, or ranks one after the other.
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/runtime/channel.h"

namespace tidings {

/// The words by which simulator and ranks take turns; see channel.h. A turn goes from the simulator through all ranks
/// that can go on and back: a hand-over costs more than most of what a rank does with its turn.
class Turns {
 public:
  /// @param file begins with room for the words.
  /// @throws std::system_error if it cannot be mapped.
  Turns(int file, std::uint32_t ranks);
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  ~Turns();

  [[nodiscard]] static std::size_t bytes(std::size_t ranks) { return (ranks + 1) * sizeof(tidings_turn_word); }

  [[nodiscard]] tidings_turn of(std::uint32_t rank) const;
  /// Let ranks go on, each when the one before it has given the turn away. Those that have ended are left out.
  /// @param ranks different from each other; it must last until `wait` has returned true.
  void give(std::span<const std::uint32_t> ranks);
  /// Sleep until all ranks that were given the turn have given it away or ended.
  /// @return false if a signal came first, or an `interrupt`.
  [[nodiscard]] bool wait();
  /// End a `wait` that has begun; another thread calls this from time to time. A time limit of each wait itself would
  /// make a hand-over a sixth slower.
  void interrupt();
  /// Ranks whose turn has not come yet shall not get it.
  void take_back();
  /// The rank's process is gone.
  void mark_ended(std::uint32_t rank);

 private:
  [[nodiscard]] std::uint32_t& word(std::uint32_t rank) const { return words_[rank].turn; }
  /// Give the turn to a rank that has the state `from`. @return whether it had.
  bool pass(std::uint32_t rank, tidings_turn from);
  /// Whether all ranks have had their turn. A rank that ended has not passed it on: if so, this does.
  bool all_back();

  std::uint32_t ranks_;
  tidings_turn_word* words_;  ///< the last one is the simulator's
  std::span<const std::uint32_t> given_;
};

}  // namespace tidings
