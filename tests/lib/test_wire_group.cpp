// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// Groups of the engine `barrier`: who has others where, and which numbers are taken.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "coll/wire_group.h"

namespace tidings {
namespace {

constexpr std::uint32_t kEast = 1;  ///< + of dimension 0
constexpr std::uint32_t kWest = 2;
constexpr std::uint32_t kNorth = 4;  ///< + of dimension 1
constexpr std::uint32_t kSouth = 8;
constexpr std::uint32_t kLinks = 8;

tidings_grid mesh(std::uint32_t dimensions) {
  tidings_grid grid{.dimensions = dimensions, .radix = {}, .wraps = {}, .single = false};
  for (std::uint32_t d = 0; d < dimensions; ++d) grid.radix[d] = 8;
  return grid;
}

tidings_endpoint at(std::uint32_t x, std::uint32_t y, std::uint8_t slot = 0) {
  return {static_cast<std::uint16_t>(x | y << 6), slot};
}

Placement placed(std::vector<tidings_endpoint> members) { return {Grid(mesh(2)), std::move(members), kLinks}; }

std::vector<std::optional<std::uint64_t>> all_mates(const Placement& placement) {
  std::vector<std::optional<std::uint64_t>> all;
  for (Member member = 0; member < placement.size(); ++member) all.push_back(wire_mates(placement, member));
  return all;
}

using Mates = std::vector<std::optional<std::uint64_t>>;

TEST(WireMates, AreInTheDirectionsOfARectangle) {
  std::vector<tidings_endpoint> members;
  for (std::uint32_t y = 2; y < 5; ++y) {
    for (std::uint32_t x = 3; x < 6; ++x) members.push_back(at(x, y));
  }
  EXPECT_EQ(all_mates(placed(members)),
            (Mates{kEast | kNorth, kEast | kWest | kNorth, kWest | kNorth,  //
                   kEast | kNorth | kSouth, kEast | kWest | kNorth | kSouth, kWest | kNorth | kSouth, kEast | kSouth,
                   kEast | kWest | kSouth, kWest | kSouth}));
}

TEST(WireMates, DoNotDependOnTheOrderOfTheMembers) {
  EXPECT_EQ(all_mates(placed({at(1, 1), at(0, 0), at(1, 0), at(0, 1)})),
            (Mates{kWest | kSouth, kEast | kNorth, kWest | kNorth, kEast | kSouth}));
}

TEST(WireMates, OfALineAreAlongIt) {
  EXPECT_EQ(all_mates(placed({at(6, 3), at(7, 3)})), (Mates{kEast, kWest}));
  EXPECT_EQ(all_mates(placed({at(2, 5), at(2, 6), at(2, 7)})), (Mates{kNorth, kNorth | kSouth, kSouth}));
  const Placement line(Grid(mesh(1)), {{4, 0}, {5, 0}}, kLinks);
  EXPECT_EQ(all_mates(line), (Mates{kEast, kWest}));
}

TEST(WireMates, AreNoneIfTheMembersFillNoRectangle) {
  // A corner is missing; a gap in a line; a diagonal; a slot that is not the first; two slots of a router.
  for (const auto& members : std::vector<std::vector<tidings_endpoint>>{{at(0, 0), at(1, 0), at(0, 1)},
                                                                        {at(0, 0), at(2, 0)},
                                                                        {at(0, 0), at(1, 1)},
                                                                        {at(0, 0), at(1, 0, 1)},
                                                                        {at(0, 0), at(0, 0, 1)}}) {
    const Placement placement = placed(members);
    for (Member member = 0; member < placement.size(); ++member) {
      EXPECT_EQ(wire_mates(placement, member), std::nullopt) << members.size() << " members, member " << member;
    }
  }
}

TEST(WireMates, AreNoneBeyondTwoDimensions) {
  EXPECT_EQ(wire_mates(Placement(Grid(mesh(3)), {{0, 0}, {1, 0}}, kLinks), 0), std::nullopt);
}

TEST(WireMates, AreTheOtherSlotsOfASingleRouter) {
  const Placement placement(Grid(mesh(0)), {{0, 3}, {0, 0}, {0, 15}}, kLinks);
  EXPECT_EQ(all_mates(placement), (Mates{1U << 0 | 1U << 15, 1U << 3 | 1U << 15, 1U << 0 | 1U << 3}));
}

TEST(WireGroup, TakesItsNumberAsLongAsItLives) {
  const auto taken = std::make_shared<WireGroups>(0b1000U);
  {
    const WireGroup first(taken, 0);
    EXPECT_EQ(first.number(), 0U);
    EXPECT_FALSE(first.met);
    EXPECT_EQ(*taken, 0b1001U);
    {
      const WireGroup second(taken, 2);
      EXPECT_EQ(*taken, 0b1101U);
    }
    EXPECT_EQ(*taken, 0b1001U);
  }
  EXPECT_EQ(*taken, 0b1000U);
}

}  // namespace
}  // namespace tidings
