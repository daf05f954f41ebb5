// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file vote.h
/// How the members of a new communicator agree on its id.
#include <cstdint>
#include <optional>

#include "core/communicator_ids.h"

namespace tidings {

/// The highest id: contexts are 16 bits wide, two for each.
inline constexpr std::uint32_t kMostCommunicatorIds = 0x7fff;

/// Ids for communicators of one kind. @invariant This rank has had none from `next` on.
struct IdRange {
  const std::uint32_t first;
  const std::uint32_t last;
  std::uint32_t next = first;
};

/// Ids of communicators that calls make which block.
IdRange& ids_of_calls();
/// Ids of copies that are made while the program goes on. A call that blocks must not have to wait for a copy, nor a
/// copy for the call, so these are others.
IdRange& ids_of_copies();

/// One member's part in the agreement on an id. In each round all members say a number, and hear the highest.
///
/// First all say which id they would like; the highest is the candidate. As long as there are ids that nobody has had,
/// it is free everywhere, unless a member agrees on several at once. Then all say whether they could take it. If one
/// could not, it begins again, further up.
class Vote {
 public:
  enum class State { GoesOn, Agreed, NoneLeft };

  /// @param parent the id of what communicates: votes that are in each other's way go apart by it.
  /// @param alone no other vote on ids of the range goes on at this rank.
  Vote(IdRange& range, std::uint32_t parent, bool alone) : range_(range), parent_(parent), alone_(alone) {}

  /// What this rank says in the round to come.
  [[nodiscard]] std::uint32_t say() const;
  /// A round is over.
  State hear(std::uint32_t highest);
  /// What has been agreed on. Until the vote is destroyed, it is as though a communicator had it, unless all are alone.
  [[nodiscard]] std::uint32_t id() const { return candidate_; }

 private:
  IdRange& range_;
  const std::uint32_t parent_;
  const bool alone_;
  bool apart_ = false;      ///< a member is not alone
  bool again_ = false;      ///< nobody is sure to have had none: look for one that is free again
  bool balloting_ = false;  ///< the round is on the candidate
  std::uint32_t least_ = 0;
  std::uint32_t candidate_ = 0;
  std::optional<CommunicatorId> held_;  ///< the candidate, if this rank could take it
};

}  // namespace tidings
