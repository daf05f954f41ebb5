// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/mpe_group.h"

#include <algorithm>

namespace tidings {

MpeGroup::MpeGroup(std::vector<std::uint32_t> members, Placement placement, Member me)
    : members_(std::move(members)), placement_(std::move(placement)), me_(me) {}

Member MpeGroup::number_of(std::uint32_t world_rank) const {
  return static_cast<Member>(std::lower_bound(members_.begin(), members_.end(), world_rank) - members_.begin());
}

const Wiring& MpeGroup::wiring(const Shape& shape) {
  const auto known = wirings_.find(&shape);
  if (known != wirings_.end()) return known->second;
  const auto refused = impossible_.find(&shape);
  if (refused != impossible_.end()) throw Impossible(refused->second);
  try {
    return wirings_.emplace(&shape, wire(placement_, shape)).first->second;
  } catch (const Impossible& reason) {
    impossible_.emplace(&shape, reason.what());
    throw;
  }
}

GroupWay MpeGroup::way(const Shape& shape, Member root) {
  const auto known = ways_.find({&shape, root});
  if (known != ways_.end()) return known->second;
  return ways_.emplace(std::pair{&shape, root}, ways(placement_, shape, wiring(shape), root)[me_]).first->second;
}

}  // namespace tidings
