// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file wiring.h
/// Shapes as links of the collective engines.
///
/// A link keeps its neighbour for the whole run, and has no direction: a command names the one towards its root. If all
/// edges of a shape join neighbouring routers, its links are those of the routers' ports, whatever the shape; so such
/// shapes share them.
#include <string>
#include <vector>

#include "coll/shape.h"
#include "generated/packets_c.h"

namespace tidings {

/// A link of one member's engine.
struct GroupLink {
  std::uint32_t number = 0;
  Member neighbour = 0;
  std::uint32_t peer_number = 0;  ///< of the neighbour's link that leads back
  bool direct = false;            ///< the number is that of a port, and the neighbour is behind it
  bool operator==(const GroupLink&) const = default;
};

/// The links of all members.
struct Wiring {
  std::string name;  ///< equal wirings of a group have equal names
  std::vector<std::vector<GroupLink>> links;
  bool neighbours = false;  ///< they are the routers' ports

  /// The lowest link from one member to another. @throws std::out_of_range if there is none.
  [[nodiscard]] const GroupLink& between(Member from, Member to) const;
};

/// Which of its links a member uses.
struct GroupWay {
  static constexpr std::uint32_t kNoParent = TIDINGS_NO_LINK;
  std::uint32_t parent = kNoParent;  ///< link towards the root
  std::uint32_t children = 0;        ///< links away from it, or all links of an exchange; one bit each
  std::uint32_t swap = 0;            ///< of an exchange: pairs (2i, 2i + 1) whose higher link comes first, one bit each
  bool operator==(const GroupWay&) const = default;
};

/// @throws Impossible if the group has no such shape, or the engines have too few links for it.
[[nodiscard]] Wiring wire(const Placement& placement, const Shape& shape);

/// What each member does. @param wiring that of the shape. @param root of a tree.
[[nodiscard]] std::vector<GroupWay> ways(const Placement& placement, const Shape& shape, const Wiring& wiring,
                                         Member root);

}  // namespace tidings
