// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/wire_group.h"

#include <algorithm>

#include "barrier.h"

namespace tidings {

std::optional<std::uint64_t> wire_mates(const Placement& placement, Member member) {
  constexpr std::uint32_t kDimensions = 2;
  const std::uint32_t dimensions = placement.grid().dimensions();
  if (dimensions > kDimensions) return std::nullopt;
  if (dimensions == 0) {
    std::uint64_t slots = 0;
    for (Member other = 0; other < placement.size(); ++other) {
      if (other != member) slots |= std::uint64_t{1} << tidings_slot_number(placement.endpoint(other));
    }
    return slots;
  }
  std::uint32_t routers = 1;
  std::uint64_t mates = 0;
  for (std::uint32_t d = 0; d < dimensions; ++d) {
    const std::uint32_t here = placement.coordinate(member, d);
    std::uint32_t least = here;
    std::uint32_t most = here;
    for (Member other = 0; other < placement.size(); ++other) {
      least = std::min(least, placement.coordinate(other, d));
      most = std::max(most, placement.coordinate(other, d));
    }
    routers *= most - least + 1;
    mates |= std::uint64_t{(here < most ? 1U : 0U) | (here > least ? 2U : 0U)} << (2 * d);
  }
  for (Member other = 0; other < placement.size(); ++other) {
    if (placement.endpoint(other).slot != 0) return std::nullopt;
  }
  // Slots of different ranks differ.
  if (routers != placement.size()) return std::nullopt;
  return mates;
}

}  // namespace tidings
