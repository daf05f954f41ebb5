// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file schedule_parts.h
/// What the functions that make schedules have in common.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "coll/schedule.h"
#include "coll/shape.h"

namespace tidings::parts {

using Kind = LocalStep::Kind;
inline constexpr Range kInput{Place::Input, 0, 1};
inline constexpr Range kOutput{Place::Output, 0, 1};
inline constexpr Range kScratch{Place::Scratch, 0, 1};
inline constexpr Range kNothing{Place::Output, 0, 0};

[[nodiscard]] inline std::uint32_t index(int value) { return static_cast<std::uint32_t>(value); }

[[nodiscard]] inline Range blocks(Place place, int first, int count = 1) { return {place, index(first), index(count)}; }

[[nodiscard]] inline Transfer send(int peer, Range range) { return {Transfer::Direction::Send, peer, range}; }
[[nodiscard]] inline Transfer receive(int peer, Range range) { return {Transfer::Direction::Receive, peer, range}; }

[[nodiscard]] inline Round copy(Range from, Range to) { return {{}, {{Kind::Copy, from, to}}}; }

/// Ranks counted from the root, which trees are built on.
class Relative {
 public:
  Relative(int rank, int size, int root) : size_(size), root_(root), rank_((rank - root + size) % size) {}

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int actual(int relative) const { return (relative + root_) % size_; }
  /// Lowest bit of the rank: how many ranks the binomial subtree spans at most; at the root, all.
  [[nodiscard]] int span() const { return rank_ == 0 ? static_cast<int>(std::bit_ceil(index(size_))) : rank_ & -rank_; }
  /// Ranks in the subtree of `relative` that spans at most `span`.
  [[nodiscard]] int members(int relative, int span) const { return std::min(span, size_ - relative); }

 private:
  int size_;
  int root_;
  int rank_;
};

/// The children of a member, by the number of members behind them, and in rank order where these are equal.
[[nodiscard]] std::vector<int> children_of(int rank, const Parents& parents, bool largest_first);

[[nodiscard]] inline Schedule both(Schedule first, Schedule second) {
  first.insert(first.end(), std::make_move_iterator(second.begin()), std::make_move_iterator(second.end()));
  return first;
}

/// Along a binomial tree, the block of Output that each rank is to have, with those of the ranks behind it.
[[nodiscard]] Schedule scatter_down(const Relative& me, int size);

}  // namespace tidings::parts
