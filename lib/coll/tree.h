// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file tree.h
/// How the members of a group are joined for collectives in the engines.
///
/// Where the members sit in neighbouring routers, their links are the ports of the routers, and from each root the tree
/// is the one of shortest ways over these links: every edge is a single hop. Otherwise member v is joined to v ^ 2^k by
/// link k: a binomial tree. Links are not directed: seen from any root, the parent is the link towards the root.
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "coll/grid.h"

namespace tidings {

class GroupTree {
 public:
  /// @param members where they are, at least two. @param me number of this member. @param links that an engine has.
  GroupTree(const Grid& grid, std::span<const tidings_endpoint> members, std::uint32_t me, std::uint32_t links);

  /// Links that every member's engine must have; may be more than there are.
  [[nodiscard]] std::uint32_t links_needed() const;

  struct Link {
    std::uint32_t number = 0;
    std::uint32_t neighbour = 0;    ///< a member
    std::uint32_t peer_number = 0;  ///< of the neighbour's link that leads back
    bool direct = false;            ///< the number is that of a port, and the neighbour is behind it
    bool operator==(const Link&) const = default;
  };
  [[nodiscard]] const std::vector<Link>& links() const { return links_; }

  static constexpr std::uint32_t kNoParent = 15;
  struct Way {
    std::uint32_t parent = kNoParent;  ///< link towards the root
    std::uint32_t children = 0;        ///< links away from it, one bit each
  };
  [[nodiscard]] Way way(std::uint32_t root);

  /// Exchanges over the links, one after the other, after which each member has heard of all.
  struct Rounds {
    std::uint32_t links = 0;  ///< one bit each; the lower one of a pair (2i, 2i + 1) comes first,
    std::uint32_t swap = 0;   ///< but the higher one in pairs i with this bit
  };
  /// Nothing where the links do not form a hypercube.
  [[nodiscard]] const std::optional<Rounds>& rounds() const { return rounds_; }

 private:
  void join_neighbours(const Grid& grid, std::span<const tidings_endpoint> members);
  void join_by_number();
  [[nodiscard]] std::optional<Rounds> find_rounds(const Grid& grid, std::span<const tidings_endpoint> members) const;
  /// Links on the way from every member to the root.
  [[nodiscard]] std::vector<std::uint32_t> shortest_ways(std::uint32_t root) const;
  [[nodiscard]] Way way_between_neighbours(std::uint32_t root) const;
  [[nodiscard]] Way way_by_number(std::uint32_t root) const;

  std::uint32_t me_;
  std::uint32_t size_;
  std::uint32_t ports_ = 0;                ///< of a router, where links are ports
  std::vector<std::uint32_t> neighbours_;  ///< member behind each port of each member, where links are ports
  std::vector<Link> links_;
  std::optional<Rounds> rounds_;
  std::unordered_map<std::uint32_t, Way> ways_;  ///< those asked for so far, by root
};

}  // namespace tidings
