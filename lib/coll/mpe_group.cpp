// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/mpe_group.h"

#include <algorithm>

namespace tidings {

MpeGroup::MpeGroup(std::vector<std::uint32_t> members, Placement placement, Member me)
    : members_(std::move(members)), placement_(std::move(placement)), me_(me) {}

Member MpeGroup::number_of(std::uint32_t world_rank) const {
  if (world_rank < members_.size() && members_[world_rank] == world_rank) return world_rank;  // as in MPI_COMM_WORLD
  return static_cast<Member>(std::lower_bound(members_.begin(), members_.end(), world_rank) - members_.begin());
}

WiredShape& MpeGroup::wired(const Shape& shape) {
  const auto known = wired_.find(&shape);
  if (known != wired_.end()) return known->second;
  const auto refused = impossible_.find(&shape);
  if (refused != impossible_.end()) throw Impossible(refused->second);
  try {
    return wired_.try_emplace(&shape, placement_, shape, me_).first->second;
  } catch (const Impossible& reason) {
    impossible_.emplace(&shape, reason.what());
    throw;
  }
}

}  // namespace tidings
