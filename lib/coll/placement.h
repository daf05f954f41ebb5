// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file placement.h
/// Where the members of a group sit in the machine: all that an algorithm may ask about it.
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "coll/grid.h"

namespace tidings {

/// Number of a member in its group.
using Member = std::uint32_t;
constexpr Member kNobody = ~0U;

/// A group for which there is no such algorithm; the text says why.
class Impossible : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The text, which lives as long as the process.
[[nodiscard]] const char* kept_text(const std::string& text);
[[nodiscard]] inline const char* kept_text(const Impossible& reason) { return kept_text(std::string(reason.what())); }

class Placement {
 public:
  /// @param members where they are, by number. @param links that each member's collective engine has in a context.
  Placement(const Grid& grid, std::vector<tidings_endpoint> members, std::uint32_t links);

  [[nodiscard]] Member size() const { return static_cast<Member>(members_.size()); }
  [[nodiscard]] const Grid& grid() const { return grid_; }
  [[nodiscard]] std::uint32_t links() const { return links_; }
  [[nodiscard]] const tidings_endpoint& endpoint(Member member) const { return members_[member]; }
  /// A member's router, and the number of its slot there.
  [[nodiscard]] std::uint16_t router(Member member) const { return grid_.router(members_[member]); }
  [[nodiscard]] std::uint32_t slot(Member member) const { return grid_.slot(members_[member]); }
  /// Coordinate of a member's router.
  [[nodiscard]] std::uint32_t coordinate(Member member, std::uint32_t dimension) const {
    return grid_.coordinate(members_[member].node, dimension);
  }
  /// The member in a slot of a router, or kNobody.
  [[nodiscard]] Member at(std::uint16_t node, std::uint8_t slot) const;
  /// The member in the same slot of the router behind a port, or kNobody.
  [[nodiscard]] Member neighbour(Member member, std::uint32_t port) const;
  /// The port behind which another member's router is.
  [[nodiscard]] std::optional<std::uint32_t> port_to(Member from, Member to) const;
  /// Both members are in slot 0, their routers are neighbours, and an engine has a link for each port.
  [[nodiscard]] bool direct(Member a, Member b) const;
  /// Links on the way from one member to another; 0 within a router.
  [[nodiscard]] std::uint32_t hops(Member from, Member to) const;
  /// Hops to the member that is farthest away.
  [[nodiscard]] std::uint32_t eccentricity(Member member) const;
  /// Hops between the two members that are farthest apart.
  [[nodiscard]] std::uint32_t diameter() const;

 private:
  Grid grid_;
  std::vector<tidings_endpoint> members_;
  std::uint32_t links_;
  std::unordered_map<std::uint32_t, Member> member_at_;  ///< by node and slot
};

/// A group that fills a box of routers, one member each.
class Box {
 public:
  /// @throws Impossible if the members fill no box, or one of more dimensions than are allowed.
  Box(const Placement& placement, std::uint32_t most_dimensions);

  /// Routers along a dimension of the machine.
  [[nodiscard]] std::uint32_t size(std::uint32_t dimension) const { return size_[dimension]; }
  /// Number of a member's router: dimension 0 counts first.
  [[nodiscard]] int place(int member) const { return places_[static_cast<std::size_t>(member)]; }
  /// The member there.
  [[nodiscard]] int at(std::uint32_t place) const { return members_[place]; }

 private:
  std::vector<std::uint32_t> size_;  ///< by dimension
  std::vector<int> places_;          ///< of each member
  std::vector<int> members_;         ///< by place
};

/// A group that fills a rectangle or a line of routers, one member each. Both numbers count from the corner with the
/// least coordinates; x is the dimension that packets travel first.
class Rectangle {
 public:
  /// @throws Impossible if the members fill no rectangle.
  explicit Rectangle(const Placement& placement);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] int x(int member) const { return box_.place(member) % width_; }
  [[nodiscard]] int y(int member) const { return box_.place(member) / width_; }
  [[nodiscard]] bool holds(int x, int y) const { return x >= 0 && x < width_ && y >= 0 && y < height_; }
  /// The member at a place that the rectangle holds.
  [[nodiscard]] int at(int x, int y) const { return box_.at(static_cast<std::uint32_t>(y * width_ + x)); }

 private:
  Box box_;  ///< place y * width + x: dimensions with one router do not count
  int width_ = 1;
  int height_ = 1;
};

}  // namespace tidings
