// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file shape.h
/// Shapes: how the members of a group are joined, as a tree from any root or in rounds of exchange with partners.
///
/// A shape says who talks to whom. Algorithms turn it into messages; wiring.h turns it into links of the engines.
#include <functional>
#include <string>
#include <vector>

#include "coll/placement.h"

namespace tidings {

/// Parent of each member of a tree; kNobody at the root.
using Parents = std::vector<Member>;
/// Partner of each member in each round of an exchange.
using Partners = std::vector<std::vector<Member>>;

struct Shape {
  std::string name;
  std::string meaning;  ///< the parent of a node, for help and documentation
  std::string where;    ///< which groups have it
  /// Parents in the tree from a root; empty for an exchange. Throws Impossible.
  std::function<Parents(const Placement&, Member root)> parents;
  /// Partners of an exchange; empty for a tree. Throws Impossible.
  std::function<Partners(const Placement&)> partners;
  /// The links join v and v ^ 2^k, and lead to any slot. (An exchange between neighbours uses their direct links.)
  bool by_number = false;
  /// `tidings bench collectives` measures it without being asked for it by name.
  bool usual = true;

  [[nodiscard]] bool is_tree() const { return static_cast<bool>(parents); }
};

/// All shapes, in the order in which they are shown. A new one is a function and a row here.
[[nodiscard]] const std::vector<Shape>& shapes();
/// @return null where there is none of that name.
[[nodiscard]] const Shape* find_shape(const std::string& name);

/// The same tree seen from another root: the way between the two turns around.
[[nodiscard]] Parents from_root(Parents parents, Member root);

}  // namespace tidings
