// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/tree.h"

#include <bit>

namespace tidings {

WorldTree::WorldTree(std::uint32_t rank, std::uint32_t ranks) : rank_(rank) {
  // Links below the lowest set bit lead to children, that bit itself to the parent.
  for (std::uint32_t k = 0; k < links_needed(ranks); ++k) {
    const std::uint32_t neighbour = rank ^ (1U << k);
    if (neighbour < ranks) links_.push_back({k, neighbour});
    if ((rank >> k & 1U) != 0) break;
  }
}

std::uint32_t WorldTree::links_needed(std::uint32_t ranks) {
  return ranks < 2 ? 0 : static_cast<std::uint32_t>(std::bit_width(ranks - 1));
}

std::uint32_t WorldTree::parent(std::uint32_t root) const {
  if (root == rank_) return kNoParent;
  // The subtree behind child link k holds the ranks that differ from the child's in the bits below k.
  for (const Link& link : links_) {
    const bool child = link.neighbour > rank_;
    if (child && root >> link.number == link.neighbour >> link.number) return link.number;
  }
  return static_cast<std::uint32_t>(std::countr_zero(rank_));
}

std::uint32_t WorldTree::children(std::uint32_t root) const {
  const std::uint32_t towards = parent(root);
  std::uint32_t mask = 0;
  for (const Link& link : links_) {
    if (link.number != towards) mask |= 1U << link.number;
  }
  return mask;
}

}  // namespace tidings
