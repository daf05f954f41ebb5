// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_group.h
/// What the collective engines of a group of ranks can be wired as.
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "coll/wiring.h"

namespace tidings {

class MpeGroup {
 public:
  /// @param members world ranks, rising. @param placement of them, in this order. @param me number of this rank.
  MpeGroup(std::vector<std::uint32_t> members, Placement placement, Member me);

  [[nodiscard]] const std::vector<std::uint32_t>& members() const { return members_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }
  [[nodiscard]] Member me() const { return me_; }
  /// Number of a world rank, which is a member.
  [[nodiscard]] Member number_of(std::uint32_t world_rank) const;

  /// @throws Impossible where the group has no such shape, or the engines have too few links for it.
  const Wiring& wiring(const Shape& shape);
  /// What this rank's engine does in a shape that can be wired.
  GroupWay way(const Shape& shape, Member root);

 private:
  std::vector<std::uint32_t> members_;
  Placement placement_;
  Member me_;
  std::map<const Shape*, Wiring> wirings_;
  std::map<const Shape*, std::string> impossible_;            ///< and why
  std::map<std::pair<const Shape*, Member>, GroupWay> ways_;  ///< those asked for so far, by root
};

}  // namespace tidings
