// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file due_calendar.h
/// What is due in which of the next cycles, each thing once per cycle.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/machine/types.h"

namespace tidings::traffic {

/// A ring of sets of numbers, a set per cycle. A set is bits, with a bit for each word of these that has any, so that a
/// cycle costs what is due in it.
class DueCalendar {
 public:
  /// Cycles that the ring has, with the one that is looked at.
  static constexpr std::uint64_t kHorizon = 64;

  /// @param numbers of things, from 0.
  explicit DueCalendar(std::size_t numbers)
      : words_((numbers + kWordBits - 1) / kWordBits),
        summary_words_((words_ + kWordBits - 1) / kWordBits),
        due_(words_ * kHorizon),
        summary_(summary_words_ * kHorizon) {}

  /// Something is due `cycles` after `t`, or at the end of the horizon if that is earlier.
  void add(std::uint32_t number, Cycle t, std::uint64_t cycles) {
    const std::uint64_t place = (t.value + std::min(cycles, kHorizon - 1)) % kHorizon;
    const std::uint32_t word = number / kWordBits;
    due_[place * words_ + word] |= std::uint64_t{1} << number % kWordBits;
    summary_[place * summary_words_ + word / kWordBits] |= std::uint64_t{1} << word % kWordBits;
    cycles_ |= std::uint64_t{1} << place;
  }
  /// Calls `look(number)` for what is due in `t`, in rising order. It may add to any cycle. What it adds to this one
  /// may be left out until the next call.
  template <typename Look>
  void for_each(Cycle t, Look&& look) const {
    const std::uint64_t place = t.value % kHorizon;
    for (std::size_t i = 0; i < summary_words_; ++i) {
      for (std::uint64_t words = summary_[place * summary_words_ + i]; words != 0; words &= words - 1) {
        const std::size_t word = i * kWordBits + static_cast<std::size_t>(std::countr_zero(words));
        for (std::uint64_t rest = due_[place * words_ + word]; rest != 0; rest &= rest - 1) {
          look(static_cast<std::uint32_t>(word * kWordBits) + static_cast<std::uint32_t>(std::countr_zero(rest)));
        }
      }
    }
  }
  /// Nothing is due in `t` any more.
  void clear(Cycle t) {
    const std::uint64_t place = t.value % kHorizon;
    for (std::size_t i = 0; i < summary_words_; ++i) {
      std::uint64_t& words = summary_[place * summary_words_ + i];
      for (; words != 0; words &= words - 1) {
        due_[place * words_ + i * kWordBits + static_cast<std::size_t>(std::countr_zero(words))] = 0;
      }
    }
    cycles_ &= ~(std::uint64_t{1} << place);
  }
  /// Cycles from `t` on until something is due; kHorizon if nothing is.
  [[nodiscard]] std::uint64_t next(Cycle t) const {
    return static_cast<std::uint64_t>(std::countr_zero(std::rotr(cycles_, static_cast<int>(t.value % kHorizon))));
  }

 private:
  static constexpr unsigned kWordBits = 64;

  std::size_t words_;  ///< of a set
  std::size_t summary_words_;
  std::vector<std::uint64_t> due_;      ///< sets, by cycle modulo kHorizon
  std::vector<std::uint64_t> summary_;  ///< a set's words with any bit, one bit each
  std::uint64_t cycles_ = 0;            ///< cycles modulo kHorizon with anything, one bit each
};

}  // namespace tidings::traffic
