// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/mpe_group.h"

#include <algorithm>
#include <utility>

namespace tidings {

MpeGroup::MpeGroup(std::vector<std::uint32_t> members, Placement placement, Member me, bool forks)
    : members_(std::move(members)), placement_(std::move(placement)), me_(me), forks_(forks) {}

Member MpeGroup::number_of(std::uint32_t world_rank) const {
  if (world_rank < members_.size() && members_[world_rank] == world_rank) return world_rank;  // as in MPI_COMM_WORLD
  return static_cast<Member>(std::lower_bound(members_.begin(), members_.end(), world_rank) - members_.begin());
}

const MpeGroup::Attempt& MpeGroup::wired(const Shape& shape) {
  for (const Tried& tried : tried_) {
    if (tried.shape == &shape) return tried.attempt;
  }
  Tried& tried = tried_.emplace_back(Tried{&shape, nullptr, {}});
  try {
    tried.made = std::make_unique<WiredShape>(placement_, shape, me_, forks_);
    tried.attempt.wired = tried.made.get();
  } catch (const Impossible& reason) {
    tried.attempt.refusal = kept_text(reason);
  }
  return tried.attempt;
}

}  // namespace tidings
