// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file vote.cpp
/// How the members of a new communicator agree on its id.
#include "mpi/vote.h"

#include <algorithm>

namespace tidings {

namespace {

/// From here on, ids are those of copies.
constexpr std::uint32_t kFirstCopyId = 0x4000;
/// World and self have the ids below.
constexpr std::uint32_t kFirstId = 2;
/// Added to an id by a member that is not alone.
constexpr std::uint32_t kNotAlone = 1U << 16;
/// Votes go apart by their parents' ids, modulo this.
constexpr std::uint32_t kSpread = 61;

}  // namespace

IdRange& ids_of_calls() {
  static constinit IdRange range{kFirstId, kFirstCopyId - 1};
  return range;
}

IdRange& ids_of_copies() {
  static constinit IdRange range{kFirstCopyId, kMostCommunicatorIds};
  return range;
}

std::uint32_t Vote::say() const {
  if (balloting_) return held_ ? 0U : 1U;
  const std::uint32_t least = again_ ? least_ : std::max(least_, range_.next);
  return CommunicatorIds::free_from(least) + (alone_ ? 0 : kNotAlone);
}

Vote::State Vote::hear(std::uint32_t highest) {
  if (balloting_) {
    balloting_ = false;
    if (highest == 0) {
      range_.next = std::max(range_.next, candidate_ + 1);
      return State::Agreed;
    }
    held_.reset();
    least_ = candidate_ + 1 + (apart_ ? parent_ % kSpread : 0);
    return State::GoesOn;
  }
  apart_ = highest >= kNotAlone;
  candidate_ = highest % kNotAlone;
  if (candidate_ > range_.last) {
    if (again_) return State::NoneLeft;
    again_ = true;
    least_ = range_.first;
    return State::GoesOn;
  }
  if (!apart_ && !again_) {
    range_.next = candidate_ + 1;
    return State::Agreed;
  }
  balloting_ = true;
  if (CommunicatorIds::is_free(candidate_)) held_.emplace(candidate_);
  return State::GoesOn;
}

}  // namespace tidings
