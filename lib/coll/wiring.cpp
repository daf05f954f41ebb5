// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/wiring.h"

#include <algorithm>
#include <bit>
#include <set>
#include <stdexcept>
#include <utility>

namespace tidings {
namespace {

using Edge = std::pair<Member, Member>;  // child, parent; or partners, the lower one first

std::vector<Edge> edges_of(const Placement& placement, const Shape& shape) {
  std::vector<Edge> edges;
  if (shape.is_tree()) {
    const Parents parents = shape.parents(placement, 0);
    for (Member member = 0; member < placement.size(); ++member) {
      if (parents[member] != kNobody) edges.emplace_back(member, parents[member]);
    }
    return edges;
  }
  for (const auto& round : shape.partners(placement)) {
    for (Member member = 0; member < placement.size(); ++member) {
      if (member < round[member]) edges.emplace_back(member, round[member]);
    }
  }
  return edges;
}

/// The ports of the members' routers that lead to other members.
Wiring wire_ports(const Placement& placement) {
  Wiring wiring{"ports", std::vector<std::vector<GroupLink>>(placement.size()), true};
  for (Member member = 0; member < placement.size(); ++member) {
    for (std::uint32_t port = 0; port < placement.grid().ports(); ++port) {
      const Member neighbour = placement.neighbour(member, port);
      if (neighbour != kNobody) wiring.links[member].push_back({port, neighbour, Grid::opposite(port), true});
    }
  }
  return wiring;
}

/// Link k joins members v and v ^ 2^k: all of them if the members are a power of two, else those of the binomial tree.
Wiring wire_by_number(const Placement& placement) {
  const Member size = placement.size();
  const std::uint32_t links = static_cast<std::uint32_t>(std::bit_width(size - 1));
  if (links > placement.links()) {
    throw Impossible(std::to_string(size) + " nodes need " + std::to_string(links) +
                     " links in the hypercube, and an engine has " + std::to_string(placement.links()));
  }
  Wiring wiring{"numbers", std::vector<std::vector<GroupLink>>(size)};
  const bool full = std::has_single_bit(size);
  for (Member member = 0; member < size; ++member) {
    for (std::uint32_t k = 0; k < links; ++k) {
      const Member neighbour = member ^ (1U << k);
      if (neighbour < size) wiring.links[member].push_back({k, neighbour, k, false});
      // The links below the lowest set bit lead to children, that bit itself to the parent.
      if (!full && (member >> k & 1U) != 0) break;
    }
  }
  return wiring;
}

/// Edges between neighbours are links of their ports, others any links that are free.
Wiring wire_edges(const Placement& placement, const std::vector<Edge>& edges, const std::string& name) {
  Wiring wiring{name, std::vector<std::vector<GroupLink>>(placement.size())};
  std::vector<std::set<std::uint32_t>> used(placement.size());
  // The links of a member stand in the order of their numbers.
  const auto add = [&](Member member, const GroupLink& link) {
    auto& links = wiring.links[member];
    links.insert(
        std::find_if(links.begin(), links.end(), [&](const GroupLink& other) { return other.number > link.number; }),
        link);
    used[member].insert(link.number);
  };
  const auto join = [&](Member a, std::uint32_t a_number, Member b, std::uint32_t b_number, bool direct) {
    add(a, {a_number, b, b_number, direct});
    add(b, {b_number, a, a_number, direct});
  };
  const auto free = [&](Member member) {
    std::uint32_t number = 0;
    while (used[member].contains(number)) ++number;
    if (number >= placement.links()) {
      const auto needed = std::count_if(edges.begin(), edges.end(), [member](const Edge& edge) {
        return edge.first == member || edge.second == member;
      });
      throw Impossible("a node has " + std::to_string(needed) + " neighbours in the tree, and its engine " +
                       std::to_string(placement.links()) + " links");
    }
    return number;
  };
  std::vector<Edge> distant;
  for (const auto& [child, parent] : edges) {
    if (!placement.direct(child, parent)) {
      distant.emplace_back(child, parent);
      continue;
    }
    const std::uint32_t port = *placement.port_to(child, parent);
    join(child, port, parent, Grid::opposite(port), true);
  }
  for (const auto& [child, parent] : distant) join(child, free(child), parent, free(parent), false);
  return wiring;
}

std::vector<GroupWay> tree_ways(const Placement& placement, const Parents& parents, const Wiring& wiring) {
  std::vector<GroupWay> all(placement.size());
  for (Member member = 0; member < placement.size(); ++member) {
    if (parents[member] == kNobody) continue;
    const GroupLink& up = wiring.between(member, parents[member]);
    all[member].parent = up.number;
    all[parents[member]].children |= 1U << up.peer_number;
  }
  return all;
}

std::vector<GroupWay> exchange_ways(const Placement& placement, const Partners& partners, const Wiring& wiring) {
  std::vector<GroupWay> all(placement.size());
  for (const auto& round : partners) {
    for (Member member = 0; member < placement.size(); ++member) {
      const Member partner = round[member];
      // Where two links join the same two, the lower member's lowest and its other end.
      const std::uint32_t number =
          member < partner ? wiring.between(member, partner).number : wiring.between(partner, member).peer_number;
      // The engine takes the lower link of a pair first, so this one must wait for no higher one, or be swapped.
      const std::uint32_t before = 1U << (number ^ 1U);
      if (number % 2 == 0 && (all[member].children & before) != 0) all[member].swap |= 1U << number / 2;
      all[member].children |= 1U << number;
    }
  }
  return all;
}

}  // namespace

const GroupLink& Wiring::between(Member from, Member to) const {
  for (const GroupLink& link : links[from]) {
    if (link.neighbour == to) return link;
  }
  throw std::out_of_range("members " + std::to_string(from) + " and " + std::to_string(to) + " have no link");
}

Wiring wire(const Placement& placement, const Shape& shape) {
  const std::vector<Edge> edges = edges_of(placement, shape);
  const bool only_neighbours = std::all_of(
      edges.begin(), edges.end(), [&placement](const Edge& edge) { return placement.direct(edge.first, edge.second); });
  const bool may_be_direct = !(shape.by_number && shape.is_tree());
  if (only_neighbours && may_be_direct) return wire_ports(placement);
  return shape.by_number ? wire_by_number(placement) : wire_edges(placement, edges, std::string(shape.name));
}

std::vector<GroupWay> ways(const Placement& placement, const Shape& shape, const Wiring& wiring, Member root) {
  return shape.is_tree() ? tree_ways(placement, shape.parents(placement, root), wiring)
                         : exchange_ways(placement, shape.partners(placement), wiring);
}

}  // namespace tidings
