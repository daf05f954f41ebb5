// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_group.h
/// What the collective engines of a group of ranks can be wired as.
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "coll/wiring.h"

namespace tidings {

/// A shape as links of the engines of a group.
class WiredShape {
 public:
  /// @param forks the engines send to all children at once, and combine them in one pass.
  WiredShape(const Placement& placement, const Shape& shape, Member me, bool forks)
      : placement_(placement),
        shape_(shape),
        me_(me),
        wiring_(wire(placement, shape)),
        best_root_(forks && shape.is_tree() ? tidings::best_root(placement, shape) : 0),
        ways_(placement.size()) {}

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Wiring& wiring() const { return wiring_; }
  /// Links of this rank's engine.
  [[nodiscard]] const std::vector<GroupLink>& links() const { return wiring_.links[me_]; }
  /// Root of a tree for what has none. Member 0 if the engines serve one child after another: the middle has more
  /// children, so it would take longer for long vectors. 0 of an exchange.
  [[nodiscard]] Member best_root() const { return best_root_; }
  /// What this rank's engine does. @param root of a tree.
  [[nodiscard]] const GroupWay& way(Member root) {
    auto& known = ways_[root];
    if (!known) known = ways(placement_, shape_, wiring_, root)[me_];
    return *known;
  }

 private:
  const Placement& placement_;
  const Shape& shape_;
  Member me_;
  Wiring wiring_;
  Member best_root_;
  std::vector<std::optional<GroupWay>> ways_;  ///< those asked for so far, by root
};

class MpeGroup {
 public:
  /// @param members world ranks, rising. @param placement of them, in this order. @param me number of this rank.
  /// @param forks the engines send to all children at once, and combine them in one pass.
  MpeGroup(std::vector<std::uint32_t> members, Placement placement, Member me, bool forks);
  MpeGroup(const MpeGroup&) = delete;
  MpeGroup& operator=(const MpeGroup&) = delete;
  ~MpeGroup() = default;

  [[nodiscard]] const std::vector<std::uint32_t>& members() const { return members_; }
  [[nodiscard]] const Placement& placement() const { return placement_; }
  [[nodiscard]] Member me() const { return me_; }
  /// Number of a world rank, which is a member.
  [[nodiscard]] Member number_of(std::uint32_t world_rank) const;

  /// A shape as links, as long as the group lives, or why the group has no such shape or the engines too few links for
  /// it. Each shape is wired once.
  struct Attempt {
    WiredShape* wired = nullptr;    ///< null: impossible
    const char* refusal = nullptr;  ///< why; lives as long as the process
  };
  const Attempt& wired(const Shape& shape);

 private:
  std::vector<std::uint32_t> members_;
  Placement placement_;
  Member me_;
  bool forks_;
  struct Tried {
    const Shape* shape = nullptr;
    std::unique_ptr<WiredShape> made;
    Attempt attempt;
  };
  std::deque<Tried> tried_;
};

}  // namespace tidings
