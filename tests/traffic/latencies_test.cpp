// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// What is said of latencies.
#include "sim/traffic/latencies.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tidings::traffic {
namespace {

TEST(Latencies, QuantilesAreLatenciesThatWereSeen) {
  Latencies latencies;
  for (std::uint64_t cycles = 100; cycles >= 1; --cycles) latencies.add(cycles, cycles % Latencies::kBatches);
  const LatencySummary summary = latencies.summary();
  EXPECT_EQ(summary.packets, 100U);
  EXPECT_EQ(summary.min, 1U);
  EXPECT_EQ(summary.p50, 50U);
  EXPECT_EQ(summary.p99, 99U);
  EXPECT_EQ(summary.max, 100U);
  EXPECT_DOUBLE_EQ(summary.mean, 50.5);
}

TEST(Latencies, HalfWidthIsThatOfTwentyBatchMeans) {
  Latencies latencies;
  for (std::size_t batch = 0; batch < Latencies::kBatches; ++batch) {
    latencies.add(10 + batch % 2, batch);
    latencies.add(20 + batch % 2, batch);
  }
  // Ten means of 15 and ten of 16: squares 20 * 0.25, variance of the mean 5 / 19 / 20.
  EXPECT_NEAR(latencies.summary().half_width, 2.093 * std::sqrt(5.0 / 19 / 20), 1e-12);
  EXPECT_DOUBLE_EQ(latencies.batch_means()[3], 16);
}

TEST(Latencies, AnEmptyBatchLeavesNoInterval) {
  Latencies latencies;
  latencies.add(5, 0);
  EXPECT_TRUE(std::isnan(latencies.summary().half_width));
  EXPECT_EQ(latencies.summary().p99, 5U);
  EXPECT_EQ(Latencies().summary().packets, 0U);
}

}  // namespace
}  // namespace tidings::traffic
