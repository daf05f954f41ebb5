// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// Patterns are those of the literature, and are refused where they are not defined.
#include "sim/traffic/destinations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/traffic/configurations.h"

namespace tidings::traffic {
namespace {

Destinations destinations(TopologyKind kind, std::vector<std::uint32_t> size, const PatternConfig& pattern,
                          std::uint32_t slots = 1) {
  return {Topology({.kind = kind, .size = std::move(size), .slots = slots}), pattern};
}

/// Where each endpoint's packets go.
std::vector<std::uint32_t> all(const Destinations& pattern) {
  std::vector<std::uint32_t> result;
  Random random(1, 0);
  for (std::uint32_t source = 0; source < pattern.endpoints(); ++source) {
    result.push_back(pattern.draw(source, 0, random));
  }
  return result;
}

TEST(Destinations, TransposeSwapsCoordinatesOfASquare) {
  EXPECT_EQ(all(destinations(TopologyKind::kMesh, {3, 3}, {.kind = Pattern::kTranspose})),
            (std::vector<std::uint32_t>{0, 3, 6, 1, 4, 7, 2, 5, 8}));
}

TEST(Destinations, TransposeSwapsTheHalvesOfTheNumberInThreeDimensions) {
  const std::vector<std::uint32_t> to =
      all(destinations(TopologyKind::kTorus, {4, 4, 4}, {.kind = Pattern::kTranspose}));
  for (std::uint32_t from = 0; from < 64; ++from) EXPECT_EQ(to[from], (from & 7U) << 3U | from >> 3U);
}

TEST(Destinations, BitComplementInvertsTheNumber) {
  const std::vector<std::uint32_t> to =
      all(destinations(TopologyKind::kMesh, {8, 4}, {.kind = Pattern::kBitComplement}));
  for (std::uint32_t from = 0; from < 32; ++from) EXPECT_EQ(to[from], ~from & 31U);
}

TEST(Destinations, NeighbourAndTornadoMoveEveryCoordinate) {
  const std::vector<std::uint32_t> near =
      all(destinations(TopologyKind::kTorus, {8, 3}, {.kind = Pattern::kNeighbour}));
  const std::vector<std::uint32_t> far = all(destinations(TopologyKind::kTorus, {8, 3}, {.kind = Pattern::kTornado}));
  for (std::uint32_t y = 0; y < 3; ++y) {
    for (std::uint32_t x = 0; x < 8; ++x) {
      EXPECT_EQ(near[x + 8 * y], (x + 1) % 8 + 8 * ((y + 1) % 3));
      EXPECT_EQ(far[x + 8 * y], (x + 3) % 8 + 8 * ((y + 1) % 3));
    }
  }
}

TEST(Destinations, PatternsOfCoordinatesKeepTheSlotAndUseThoseOfACrossbar) {
  EXPECT_EQ(all(destinations(TopologyKind::kMesh, {2, 1}, {.kind = Pattern::kNeighbour}, 2)),
            (std::vector<std::uint32_t>{2, 3, 0, 1}));
  EXPECT_EQ(all(destinations(TopologyKind::kCrossbar, {}, {.kind = Pattern::kNeighbour}, 4)),
            (std::vector<std::uint32_t>{1, 2, 3, 0}));
}

TEST(Destinations, AllToAllVisitsEveryOtherEndpointInTurn) {
  const Destinations pattern = destinations(TopologyKind::kMesh, {2, 2}, {.kind = Pattern::kAllToAll});
  Random random(1, 0);
  std::vector<std::uint32_t> visited;
  for (std::uint64_t sent = 0; sent < 6; ++sent) visited.push_back(pattern.draw(2, sent, random));
  EXPECT_EQ(visited, (std::vector<std::uint32_t>{3, 0, 1, 3, 0, 1}));
}

/// Draws are as frequent as `share` says: within five standard deviations.
void expect_shares(const Destinations& pattern, std::uint32_t source) {
  constexpr std::uint32_t kDraws = 40000;
  Random random(7, source);
  std::vector<double> counts(pattern.endpoints());
  for (std::uint64_t sent = 0; sent < kDraws; ++sent) ++counts[pattern.draw(source, sent, random)];
  for (std::uint32_t to = 0; to < pattern.endpoints(); ++to) {
    const double share = pattern.share(source, to);
    EXPECT_NEAR(counts[to], kDraws * share, 1 + 5 * std::sqrt(kDraws * share * (1 - share))) << "to " << to;
  }
}

TEST(Destinations, UniformReachesAllEndpointsAlikeTheSenderToo) {
  const Destinations pattern = destinations(TopologyKind::kMesh, {3, 3}, {.kind = Pattern::kUniform});
  for (std::uint32_t to = 0; to < 9; ++to) EXPECT_DOUBLE_EQ(pattern.share(4, to), 1.0 / 9);
  expect_shares(pattern, 4);
}

TEST(Destinations, HotspotSendsTheShareToTheHotEndpointsAndTheRestAnywhere) {
  const Destinations pattern =
      destinations(TopologyKind::kMesh, {4, 2}, {.kind = Pattern::kHotspot, .hot_endpoints = {3, 6}, .hot_share = 0.4});
  EXPECT_DOUBLE_EQ(pattern.share(0, 3), 0.2 + 0.6 / 8);
  EXPECT_DOUBLE_EQ(pattern.share(0, 0), 0.6 / 8);
  EXPECT_NEAR(pattern.arrivals(6), 8 * 0.2 + 0.6, 1e-12);
  expect_shares(pattern, 0);
}

TEST(Destinations, UnbalancedSendsTheShareToTheSenderAndTheRestAnywhere) {
  const Destinations pattern =
      destinations(TopologyKind::kMesh, {4, 2}, {.kind = Pattern::kUnbalanced, .hot_share = 0.4});
  EXPECT_DOUBLE_EQ(pattern.share(3, 3), 0.4 + 0.6 / 8);
  EXPECT_DOUBLE_EQ(pattern.share(3, 0), 0.6 / 8);
  EXPECT_NEAR(pattern.arrivals(6), 1, 1e-12);
  expect_shares(pattern, 3);
}

TEST(Destinations, SharesOfASourceAddUpToOne) {
  for (const PatternConfig& pattern :
       {PatternConfig{.kind = Pattern::kUniform}, PatternConfig{.kind = Pattern::kTranspose},
        PatternConfig{.kind = Pattern::kHotspot, .hot_endpoints = {5, 5, 0}, .hot_share = 0.3},
        PatternConfig{.kind = Pattern::kUnbalanced, .hot_share = 0.3}, PatternConfig{.kind = Pattern::kAllToAll}}) {
    const Destinations to = destinations(TopologyKind::kTorus, {4, 4}, pattern);
    double sum = 0;
    for (std::uint32_t node = 0; node < 16; ++node) sum += to.node_share(6, node);
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

/// What is said of a pattern that is refused.
std::string complaint(TopologyKind kind, std::vector<std::uint32_t> size, const PatternConfig& pattern) {
  try {
    static_cast<void>(destinations(kind, std::move(size), pattern));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Destinations, WhatIsNotDefinedIsRefusedWithItsValue) {
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(complaint(TopologyKind::kMesh, {8, 4}, {.kind = Pattern::kTranspose}), "not defined for a machine of 8x4");
  has(complaint(TopologyKind::kMesh, {8, 2}, {.kind = Pattern::kTranspose}), "must be square");
  has(complaint(TopologyKind::kTorus, {2, 2, 2}, {.kind = Pattern::kTranspose}), "2x2x2");
  has(complaint(TopologyKind::kMesh, {2, 2}, {.kind = Pattern::kHotspot, .hot_share = 0.1}), "at least one");
  has(complaint(TopologyKind::kMesh, {2, 2}, {.kind = Pattern::kHotspot, .hot_endpoints = {4}, .hot_share = 0.1}),
      "endpoint 4 does not exist: they are 0 to 3");
  has(complaint(TopologyKind::kMesh, {2, 2}, {.kind = Pattern::kHotspot, .hot_endpoints = {0}, .hot_share = 1.5}),
      "1.5");
}

TEST(Random, IsTheSameOnEveryComputer) {
  Random random(1, 2);
  EXPECT_EQ(random.next(), 11446999876264359965U);
  EXPECT_EQ(random.next(), 9047282882916087253U);
}

TEST(Random, TrialsHaveTheMeanOfTheGeometricDistribution) {
  constexpr double kSuccess = 0.0125;
  constexpr std::uint32_t kDraws = 20000;
  Random random(3, 0);
  double sum = 0;
  for (std::uint32_t i = 0; i < kDraws; ++i) sum += static_cast<double>(random.trials(std::log1p(-kSuccess)));
  const double deviation = std::sqrt(1 - kSuccess) / kSuccess / std::sqrt(kDraws);
  EXPECT_NEAR(sum / kDraws, 1 / kSuccess, 5 * deviation);
  EXPECT_EQ(random.trials(std::log1p(-1.0)), 1U);
}

}  // namespace
}  // namespace tidings::traffic
