// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "coll/placement.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace tidings {
namespace {

std::uint32_t key(std::uint16_t node, std::uint8_t slot) { return std::uint32_t{node} << 8 | slot; }

}  // namespace

const char* kept_text(const std::string& text) {
  static std::set<std::string> kept;
  return kept.insert(text).first->c_str();
}

Placement::Placement(const Grid& grid, std::vector<tidings_endpoint> members, std::uint32_t links)
    : grid_(grid), members_(std::move(members)), links_(links) {
  for (Member i = 0; i < size(); ++i) member_at_.emplace(key(members_[i].node, members_[i].slot), i);
}

Member Placement::at(std::uint16_t node, std::uint8_t slot) const {
  const auto found = member_at_.find(key(node, slot));
  return found == member_at_.end() ? kNobody : found->second;
}

Member Placement::neighbour(Member member, std::uint32_t port) const {
  const auto node = grid_.neighbour(members_[member].node, port);
  return node ? at(*node, members_[member].slot) : kNobody;
}

std::optional<std::uint32_t> Placement::port_to(Member from, Member to) const {
  for (std::uint32_t port = 0; port < grid_.ports(); ++port) {
    if (grid_.neighbour(members_[from].node, port) == members_[to].node) return port;
  }
  return std::nullopt;
}

bool Placement::direct(Member a, Member b) const {
  return grid_.ports() <= links_ && members_[a].slot == 0 && members_[b].slot == 0 && port_to(a, b).has_value();
}

std::uint32_t Placement::hops(Member from, Member to) const {
  return grid_.hops(members_[from].node, members_[to].node);
}

std::uint32_t Placement::eccentricity(Member member) const {
  std::uint32_t most = 0;
  for (Member other = 0; other < size(); ++other) most = std::max(most, hops(member, other));
  return most;
}

std::uint32_t Placement::diameter() const {
  std::uint32_t most = 0;
  for (Member member = 0; member < size(); ++member) most = std::max(most, eccentricity(member));
  return most;
}

Box::Box(const Placement& placement, std::uint32_t most_dimensions)
    : places_(placement.size()), members_(placement.size(), static_cast<int>(kNobody)) {
  std::uint32_t sides = 0;
  std::size_t routers = 1;
  for (std::uint32_t d = 0; d < placement.grid().dimensions(); ++d) {
    std::uint32_t least = ~0U;
    std::uint32_t most = 0;
    for (Member member = 0; member < placement.size(); ++member) {
      least = std::min(least, placement.coordinate(member, d));
      most = std::max(most, placement.coordinate(member, d));
    }
    size_.push_back(most - least + 1);
    if (least == most) continue;
    if (++sides > most_dimensions) {
      throw Impossible("its ranks are in more than " + std::string(most_dimensions == 2 ? "two" : "three") +
                       " dimensions");
    }
    for (Member member = 0; member < placement.size(); ++member) {
      places_[member] += static_cast<int>((placement.coordinate(member, d) - least) * routers);
    }
    routers *= size_.back();
  }
  bool fills = routers == members_.size();
  for (std::size_t member = 0; fills && member < places_.size(); ++member) {
    int& place = members_[static_cast<std::size_t>(places_[member])];
    fills = place < 0;
    place = static_cast<int>(member);
  }
  const bool flat = most_dimensions == 2 || placement.grid().dimensions() <= 2;
  if (!fills) {
    throw Impossible("its ranks do not fill a " + std::string(flat ? "rectangle" : "box") + " of routers, one each");
  }
}

Rectangle::Rectangle(const Placement& placement) : box_(placement, 2) {
  for (std::uint32_t d = 0, sides = 0; d < placement.grid().dimensions(); ++d) {
    if (box_.size(d) > 1) (sides++ == 0 ? width_ : height_) = static_cast<int>(box_.size(d));
  }
}

}  // namespace tidings
