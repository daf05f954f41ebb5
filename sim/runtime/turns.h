// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file turns.h
/// Who works: the simulator, or ranks one after the other.
#include <cstddef>
#include <cstdint>
#include <optional>
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
  /// Wait until all ranks that were given the turn have given it away or ended.
  /// @return false if a signal came first, an `interrupt`, or, if simulator and ranks look, a millisecond was over.
  [[nodiscard]] bool wait();
  /// All ranks that were given the turn have given it away or ended.
  [[nodiscard]] bool are_back();
  /// Wait until a rank that was given the turn has given it away or ended.
  /// @return as `wait`
  [[nodiscard]] bool wait_for(std::uint32_t rank);
  /// Ranks are on another core than the simulator, or no longer. If so, both sides look for their turn for a while
  /// before they sleep: to wake somebody on another core takes many times as long as on the same.
  void look(bool looks);
  [[nodiscard]] bool looks() const { return looks_; }
  /// Ranks that do not sleep until they get the turn.
  [[nodiscard]] unsigned awake() const;
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
  [[nodiscard]] bool sleeps(std::uint32_t rank) const;
  /// Wake a rank if it sleeps; by the last rank that had the turn, if that one is awake.
  void rouse(std::uint32_t rank);
  /// Look for the end of a batch for as long as it pays. @return whether it came.
  [[nodiscard]] bool look_for_turn() const;
  /// Sleep until somebody wakes the simulator, or for the first time only a millisecond.
  void sleep();
  /// Whether all ranks have had their turn. A rank that ended has not passed it on: if so, this does.
  bool pass_on();

  std::uint32_t ranks_;
  tidings_turn_word* words_;  ///< the last one is the simulator's
  std::span<const std::uint32_t> given_;
  bool looks_ = false;
  bool all_back_ = true;               ///< ranks that were given the turn have given it away
  bool has_slept_ = false;             ///< since ranks were given the turn
  std::optional<std::uint32_t> last_;  ///< who had the turn last
};

}  // namespace tidings
