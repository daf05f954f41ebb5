// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file word_schedule.h
/// An all-to-all of single words on a mesh or a torus, timed so that no two words meet: for switches that enforce an
/// order.
///
/// A word has no header. It enters its router in one cycle, takes a link in the next one and each time it has come over
/// one (`word_port`), and then leaves the last router. Routers hold no word back, so a schedule is the cycle in which
/// each word enters.
#include <cstdint>
#include <functional>
#include <vector>

#include "coll/word_way.h"

namespace tidings {

struct WordSchedule {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  /// After this many cycles each word's successor may follow it: blocks of m words take cycles + (m - 1) * period.
  std::uint32_t period = 0;
  std::uint32_t cycles = 0;  ///< from the first word that enters to the last that leaves, both included
  std::vector<std::uint32_t>
      start;  ///< of the word from a node to another, by from * nodes + to; nodes are (z * height + y) * width + x
  std::uint32_t depth = 1;
  std::uint32_t rings = 0;  ///< as in SwitchGrid
  std::uint32_t hop = 1;    ///< likewise

  [[nodiscard]] std::uint32_t nodes() const { return width * height * depth; }
  [[nodiscard]] SwitchGrid grid() const { return {.size = {width, height, depth}, .rings = rings, .hop = hop}; }
};

/// Words that cross the busiest link.
[[nodiscard]] std::uint32_t word_schedule_link(const SwitchGrid& grid);
/// Words that cross the busiest link or port.
[[nodiscard]] std::uint32_t word_schedule_bound(const SwitchGrid& grid);
[[nodiscard]] inline std::uint32_t word_schedule_bound(std::uint32_t width, std::uint32_t height) {
  return word_schedule_bound(SwitchGrid{.size = {width, height, 1}});
}
/// No schedule has a shorter period.
[[nodiscard]] std::uint32_t word_schedule_period(const SwitchGrid& grid);
/// Cycles that no schedule does without, for blocks of N words: docs/contention.md.
[[nodiscard]] std::uint64_t word_schedule_least(const SwitchGrid& grid, std::uint64_t words);

/// Search for a schedule: place each word where it displaces least. Words that few starts suit are hard to displace,
/// and harder each time. Equal arguments give equal schedules unless the search is ended.
/// @param effort words that are placed before a length is given up on 256 nodes. On fewer nodes, where that is
/// quicker, there are as many times more.
/// @param go_on is called before each word is placed; if it returns false, the best schedule so far is the result.
/// @throws std::invalid_argument for less than two or more than 256 nodes, or if nothing was found.
[[nodiscard]] WordSchedule find_word_schedule(
    const SwitchGrid& grid, std::uint32_t effort, const std::function<bool()>& go_on = [] { return true; });
[[nodiscard]] inline WordSchedule find_word_schedule(
    std::uint32_t width, std::uint32_t height, std::uint32_t effort,
    const std::function<bool()>& go_on = [] { return true; }) {
  return find_word_schedule(SwitchGrid{.size = {width, height, 1}}, effort, go_on);
}

/// A schedule within a millisecond on 8 x 8, the same for equal arguments: each word, those with the longest way first,
/// enters as soon as it meets no other. It takes 6 to 13 per cent longer than the bound on meshes of 8 x 8 to 16 x 16.
/// The period is `cycles`.
/// @throws std::invalid_argument as find_word_schedule().
[[nodiscard]] WordSchedule quick_word_schedule(const SwitchGrid& grid);
[[nodiscard]] inline WordSchedule quick_word_schedule(std::uint32_t width, std::uint32_t height) {
  return quick_word_schedule(SwitchGrid{.size = {width, height, 1}});
}

}  // namespace tidings
