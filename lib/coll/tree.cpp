// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/tree.h"

#include <algorithm>
#include <bit>
#include <set>

namespace tidings {
namespace {

constexpr std::uint32_t kNobody = ~0U;

}  // namespace

GroupTree::GroupTree(const Grid& grid, std::span<const tidings_endpoint> members, std::uint32_t me, std::uint32_t links)
    : me_(me), size_(static_cast<std::uint32_t>(members.size())) {
  if (grid.ports() <= links) join_neighbours(grid, members);
  if (links_.empty()) join_by_number();
}

std::uint32_t GroupTree::links_needed() const {
  return links_.front().direct ? ports_ : static_cast<std::uint32_t>(std::bit_width(size_ - 1));
}

void GroupTree::join_neighbours(const Grid& grid, std::span<const tidings_endpoint> members) {
  std::unordered_map<std::uint16_t, std::uint32_t> member_at;
  for (std::uint32_t i = 0; i < size_; ++i) {
    if (members[i].slot != 0) return;
    member_at.emplace(members[i].node, i);
  }
  ports_ = grid.ports();
  neighbours_.assign(std::size_t{size_} * ports_, kNobody);
  for (std::uint32_t i = 0; i < size_; ++i) {
    for (std::uint32_t port = 0; port < ports_; ++port) {
      const auto node = grid.neighbour(members[i].node, port);
      const auto found = node ? member_at.find(*node) : member_at.end();
      if (found != member_at.end()) neighbours_[i * ports_ + port] = found->second;
    }
  }
  const auto ways = shortest_ways(me_);
  if (std::count(ways.begin(), ways.end(), kNobody) != 1) return;  // more than the root itself has none
  for (std::uint32_t port = 0; port < ports_; ++port) {
    const std::uint32_t neighbour = neighbours_[me_ * ports_ + port];
    if (neighbour != kNobody) links_.push_back({port, neighbour, Grid::opposite(port), true});
  }
  rounds_ = find_rounds(grid, members);
}

void GroupTree::join_by_number() {
  // In a hypercube of 2^n members all links are of use; otherwise those below the lowest set bit lead to children, that
  // bit itself to the parent.
  const bool cube = std::has_single_bit(size_);
  for (std::uint32_t k = 0; (size_ - 1) >> k != 0; ++k) {
    const std::uint32_t neighbour = me_ ^ (1U << k);
    if (neighbour < size_) links_.push_back({k, neighbour, k, false});
    if (!cube && (me_ >> k & 1U) != 0) break;
  }
  if (cube) rounds_ = Rounds{size_ - 1, 0};
}

std::optional<GroupTree::Rounds> GroupTree::find_rounds(const Grid& grid,
                                                        std::span<const tidings_endpoint> members) const {
  // A ring of four is a square, with one round over each of its two pairs of opposite sides.
  constexpr std::uint32_t kSquare = 4;
  Rounds rounds;
  std::uint32_t product = 1;
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d) {
    std::set<std::uint32_t> coordinates;
    for (const tidings_endpoint& member : members) coordinates.insert(grid.coordinate(member.node, d));
    const auto count = static_cast<std::uint32_t>(coordinates.size());
    product *= count;
    if (count == 1) continue;
    const std::uint32_t here = grid.coordinate(members[me_].node, d);
    const std::uint32_t low = *coordinates.begin();
    const std::uint32_t high = *coordinates.rbegin();
    if (count == 2) {
      const bool next = high == low + 1;
      if (!next && !(grid.wraps(d) && low == 0 && high == grid.radix(d) - 1)) return std::nullopt;
      const bool goes_up = here == (next ? low : high);
      rounds.links |= (goes_up ? 1U : 2U) << 2 * d;
    } else if (count == kSquare && grid.radix(d) == kSquare && grid.wraps(d)) {
      rounds.links |= 3U << 2 * d;
      rounds.swap |= (here & 1U) << d;
    } else {
      return std::nullopt;
    }
  }
  if (product != size_) return std::nullopt;
  return rounds;
}

GroupTree::Way GroupTree::way(std::uint32_t root) {
  const auto known = ways_.find(root);
  if (known != ways_.end()) return known->second;
  const bool direct = links_.front().direct;
  return ways_.emplace(root, direct ? way_between_neighbours(root) : way_by_number(root)).first->second;
}

std::vector<std::uint32_t> GroupTree::shortest_ways(std::uint32_t root) const {
  std::vector<std::uint32_t> distance(size_, kNobody);
  std::vector<std::uint32_t> reached{root};
  distance[root] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (std::uint32_t port = 0; port < ports_; ++port) {
      const std::uint32_t next = neighbours_[reached[i] * ports_ + port];
      if (next == kNobody || distance[next] != kNobody) continue;
      distance[next] = distance[reached[i]] + 1;
      reached.push_back(next);
    }
  }
  std::vector<std::uint32_t> ways(size_, kNobody);
  for (const std::uint32_t member : reached) {
    for (std::uint32_t port = ports_; port-- > 0;) {
      const std::uint32_t next = neighbours_[member * ports_ + port];
      if (next != kNobody && distance[next] + 1 == distance[member]) ways[member] = port;
    }
  }
  return ways;
}

GroupTree::Way GroupTree::way_between_neighbours(std::uint32_t root) const {
  const auto ways = shortest_ways(root);
  Way way;
  if (me_ != root) way.parent = ways[me_];
  for (const Link& link : links_) {
    if (link.neighbour != root && ways[link.neighbour] == link.peer_number) way.children |= 1U << link.number;
  }
  return way;
}

GroupTree::Way GroupTree::way_by_number(std::uint32_t root) const {
  Way way;
  if (std::has_single_bit(size_)) {
    const std::uint32_t from_root = me_ ^ root;
    if (from_root == 0) return {kNoParent, size_ - 1};
    way.parent = static_cast<std::uint32_t>(std::countr_zero(from_root));
    way.children = (1U << way.parent) - 1;
    return way;
  }
  if (root != me_) {
    way.parent = static_cast<std::uint32_t>(std::countr_zero(me_));
    // The subtree behind child link k holds the members that differ from the child in the bits below k.
    for (const Link& link : links_) {
      const bool child = link.neighbour > me_;
      if (child && root >> link.number == link.neighbour >> link.number) way.parent = link.number;
    }
  }
  for (const Link& link : links_) {
    if (link.number != way.parent) way.children |= 1U << link.number;
  }
  return way;
}

}  // namespace tidings
