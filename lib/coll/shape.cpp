// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/shape.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>

namespace tidings {
namespace {

/// Members at the corners of a hypercube: the numbers of two that an edge joins differ in one bit.
struct Hypercube {
  std::vector<Member> member_at;         ///< each corner
  std::vector<std::uint32_t> corner_of;  ///< each member
};

Hypercube cube_of(std::vector<Member> member_at) {
  Hypercube cube{std::move(member_at), {}};
  cube.corner_of.resize(cube.member_at.size());
  for (std::uint32_t corner = 0; corner < cube.member_at.size(); ++corner) {
    cube.corner_of[cube.member_at[corner]] = corner;
  }
  return cube;
}

/// Corners placed in Gray code, so that every edge is a single hop. A ring of four routers is a square, two
/// neighbouring routers are an edge; the bits of dimension 0 are lowest.
Hypercube gray_cube(const Placement& placement) {
  constexpr std::size_t kSquare = 4;
  struct Dimension {
    std::vector<std::uint32_t> coordinates;  ///< by the bits of a corner
    std::uint32_t bits;
  };
  const Grid& grid = placement.grid();
  for (Member member = 0; member < placement.size(); ++member) {
    if (placement.endpoint(member).slot != 0) throw Impossible("Gray code places one rank in slot 0 of a router");
  }
  std::vector<Dimension> dimensions;
  std::size_t corners = 1;
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d) {
    std::set<std::uint32_t> found;
    for (Member member = 0; member < placement.size(); ++member) found.insert(placement.coordinate(member, d));
    std::vector<std::uint32_t> here(found.begin(), found.end());
    const bool ring = here.size() == grid.radix(d) && grid.wraps(d);
    const bool edge =
        here.size() == 2 && (here[1] == here[0] + 1 || (grid.wraps(d) && here[0] == 0 && here[1] == grid.radix(d) - 1));
    if (here.size() == kSquare && ring) {
      std::swap(here[2], here[3]);
    } else if (here.size() != 1 && !edge) {
      throw Impossible("a " + std::string(ring ? "ring" : "row") + " of " + std::to_string(here.size()) +
                       " routers is no hypercube");
    }
    corners *= here.size();
    dimensions.push_back({std::move(here), static_cast<std::uint32_t>(std::countr_zero(found.size()))});
  }
  if (corners != placement.size()) {
    throw Impossible(std::to_string(placement.size()) + " nodes do not fill a hypercube");
  }
  std::map<std::vector<std::uint32_t>, Member> member_at;
  for (Member member = 0; member < placement.size(); ++member) {
    std::vector<std::uint32_t> place;
    for (std::uint32_t d = 0; d < grid.dimensions(); ++d) place.push_back(placement.coordinate(member, d));
    member_at[place] = member;
  }
  std::vector<Member> members;
  for (std::uint32_t corner = 0; corner < placement.size(); ++corner) {
    std::vector<std::uint32_t> place;
    std::uint32_t rest = corner;
    for (const Dimension& dimension : dimensions) {
      place.push_back(dimension.coordinates[rest & ((1U << dimension.bits) - 1)]);
      rest >>= dimension.bits;
    }
    members.push_back(member_at.at(place));
  }
  return cube_of(std::move(members));
}

/// Member v at corner v.
Hypercube numbered_cube(const Placement& placement) {
  if (!std::has_single_bit(placement.size())) {
    throw Impossible("a hypercube has a power of two of nodes, not " + std::to_string(placement.size()));
  }
  std::vector<Member> members(placement.size());
  for (Member member = 0; member < placement.size(); ++member) members[member] = member;
  return cube_of(std::move(members));
}

/// The binomial tree of a hypercube, from any of its corners.
Parents binomial_tree_of(const Hypercube& cube, Member root) {
  const std::uint32_t from = cube.corner_of[root];
  Parents parents(cube.member_at.size(), kNobody);
  for (Member member = 0; member < parents.size(); ++member) {
    const std::uint32_t way = cube.corner_of[member] ^ from;
    if (way != 0) parents[member] = cube.member_at[(way & (way - 1)) ^ from];
  }
  return parents;
}

/// Edges from the root of a tree to its farthest member.
std::uint32_t depth_of(const Parents& parents) {
  std::vector<std::uint32_t> depths(parents.size(), kNobody);
  std::uint32_t most = 0;
  for (Member member = 0; member < parents.size(); ++member) {
    // Up to the first member whose depth is known, and down again.
    std::vector<Member> way;
    Member known = member;
    for (; depths[known] == kNobody && parents[known] != kNobody; known = parents[known]) way.push_back(known);
    if (parents[known] == kNobody) depths[known] = 0;
    std::uint32_t depth = depths[known];
    for (; !way.empty(); way.pop_back()) depths[way.back()] = ++depth;
    most = std::max(most, depth);
  }
  return most;
}

}  // namespace

namespace shape {

Parents gray(const Placement& placement, Member root) { return binomial_tree_of(gray_cube(placement), root); }

/// Members of neighbouring routers are joined, the other members of a router to its first.
Parents dimension(const Placement& placement, Member root) {
  const std::uint32_t ports = placement.grid().ports();
  std::vector<Member> head(placement.size());  // of each member's router
  std::map<std::uint16_t, Member> head_of;
  for (Member member = 0; member < placement.size(); ++member) {
    const auto [found, made] = head_of.emplace(placement.router(member), member);
    if (!made && placement.slot(member) < placement.slot(found->second)) found->second = member;
  }
  for (Member member = 0; member < placement.size(); ++member) head[member] = head_of[placement.router(member)];
  const auto behind = [&](Member member, std::uint32_t port) {
    const auto node = placement.grid().neighbour(placement.endpoint(member).node, port);
    const auto found = node ? head_of.find(*node) : head_of.end();
    return found == head_of.end() ? kNobody : found->second;
  };
  std::vector<std::uint32_t> distance(placement.size(), kNobody);
  std::vector<Member> reached{head[root]};
  distance[head[root]] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (std::uint32_t port = 0; port < ports; ++port) {
      const Member next = behind(reached[i], port);
      if (next == kNobody || distance[next] != kNobody) continue;
      distance[next] = distance[reached[i]] + 1;
      reached.push_back(next);
    }
  }
  if (reached.size() != head_of.size()) throw Impossible("the routers of its ranks are not all joined by links");
  Parents parents(placement.size(), kNobody);
  for (Member member = 0; member < placement.size(); ++member) {
    if (head[member] != member) {
      parents[member] = head[member];
      continue;
    }
    for (std::uint32_t port = 0; port < ports && parents[member] == kNobody; ++port) {
      const Member next = behind(member, port);
      if (next != kNobody && distance[next] + 1 == distance[member]) parents[member] = next;
    }
  }
  return from_root(std::move(parents), root);
}

Parents binomial(const Placement& placement, Member root) {
  Parents parents(placement.size(), kNobody);
  for (Member member = 1; member < parents.size(); ++member) parents[member] = member & (member - 1);
  return from_root(std::move(parents), root);
}

Parents hypercube(const Placement& placement, Member root) {
  return std::has_single_bit(placement.size()) ? binomial_tree_of(numbered_cube(placement), root)
                                               : binomial(placement, root);
}

Parents k_ary(const Placement& placement, Member root, std::uint32_t arity) {
  Parents parents(placement.size(), kNobody);
  for (Member member = 1; member < parents.size(); ++member) parents[member] = (member - 1) / arity;
  return from_root(std::move(parents), root);
}

Parents k_nomial(const Placement& placement, Member root, std::uint32_t base) {
  Parents parents(placement.size(), kNobody);
  for (Member member = 1; member < parents.size(); ++member) {
    Member digit = 1;  // the place of the lowest digit that is not 0
    while (member / digit % base == 0) digit *= base;
    parents[member] = member - member / digit % base * digit;
  }
  return from_root(std::move(parents), root);
}

/// A line through the routers that turns at each edge of the grid, so that each is a neighbour of the one before.
Parents chain(const Placement& placement, Member root) {
  const Grid& grid = placement.grid();
  // The place along the line: each dimension runs backwards for every other place of those above it.
  const auto place = [&](Member member) {
    std::uint64_t above = 0;
    for (std::uint32_t d = grid.dimensions(); d-- > 0;) {
      const std::uint32_t here = placement.coordinate(member, d);
      above = above * grid.radix(d) + (above % 2 != 0 ? grid.radix(d) - 1 - here : here);
    }
    return above << 32 | placement.slot(member);
  };
  // A set, as the code of a sort of pairs would take 4 KiB of a soft core's memory.
  std::set<std::pair<std::uint64_t, Member>> order;
  for (Member member = 0; member < placement.size(); ++member) order.emplace(place(member), member);
  Parents parents(placement.size(), kNobody);
  Member before = kNobody;
  for (const auto& [at, member] : order) {
    parents[member] = before;
    before = member;
  }
  return from_root(std::move(parents), root);
}

Parents star(const Placement& placement, Member root) {
  Parents parents(placement.size(), 0);
  parents[0] = kNobody;
  return from_root(std::move(parents), root);
}

/// The first of a router's members stands for it.
Parents two_level(const Placement& placement, Member root) {
  std::map<std::uint16_t, std::vector<Member>> members_of;
  std::vector<Member> heads;
  Parents parents(placement.size(), kNobody);
  for (Member member = 0; member < placement.size(); ++member) {
    std::vector<Member>& here = members_of[placement.router(member)];
    std::vector<Member>& peers = here.empty() ? heads : here;
    const std::size_t number = peers.size();
    if (member != 0) parents[member] = peers[number & (number - 1)];
    if (here.empty()) heads.push_back(member);
    here.push_back(member);
  }
  return from_root(std::move(parents), root);
}

/// Rounds over the edges of a hypercube, of single hops if there is one.
Partners exchange(const Placement& placement) {
  const auto find = [&placement] {
    if (placement.grid().ports() > placement.links()) return numbered_cube(placement);
    try {
      return gray_cube(placement);
    } catch (const Impossible&) {
      return numbered_cube(placement);
    }
  };
  const Hypercube cube = find();
  Partners partners;
  for (std::uint32_t bit = 1; bit < placement.size(); bit <<= 1) {
    std::vector<Member>& round = partners.emplace_back(placement.size());
    for (Member member = 0; member < placement.size(); ++member) {
      round[member] = cube.member_at[cube.corner_of[member] ^ bit];
    }
  }
  return partners;
}

}  // namespace shape

Member best_root(const Placement& placement, const Shape& tree) {
  const Grid& grid = placement.grid();
  std::vector<std::uint32_t> middle(grid.dimensions());
  for (std::uint32_t d = 0; d < grid.dimensions(); ++d) {
    std::uint32_t least = placement.coordinate(0, d);
    std::uint32_t most = least;
    for (Member member = 1; member < placement.size() && !grid.wraps(d); ++member) {
      least = std::min(least, placement.coordinate(member, d));
      most = std::max(most, placement.coordinate(member, d));
    }
    middle[d] = std::midpoint(least, most);
  }
  for (Member member = 1; member < placement.size(); ++member) {
    bool there = true;
    for (std::uint32_t d = 0; d < grid.dimensions(); ++d) there &= placement.coordinate(member, d) == middle[d];
    if (there && depth_of(tree.parents(placement, member)) < depth_of(tree.parents(placement, 0))) return member;
  }
  return 0;
}

Parents from_root(Parents parents, Member root) {
  Member child = kNobody;
  for (Member member = root; member != kNobody;) {
    const Member parent = parents[member];
    parents[member] = child;
    child = member;
    member = parent;
  }
  return parents;
}

}  // namespace tidings
