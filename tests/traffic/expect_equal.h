// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file expect_equal.h
/// What two runs of the same traffic have to show alike.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/traffic/latencies.h"

namespace tidings::test {

inline void expect_equal(const traffic::LatencySummary& one, const traffic::LatencySummary& other) {
  EXPECT_EQ(one.packets, other.packets);
  EXPECT_EQ(one.mean, other.mean);
  EXPECT_TRUE(one.half_width == other.half_width || (std::isnan(one.half_width) && std::isnan(other.half_width)))
      << one.half_width << " and " << other.half_width;
  EXPECT_EQ(one.min, other.min);
  EXPECT_EQ(one.p50, other.p50);
  EXPECT_EQ(one.p99, other.p99);
  EXPECT_EQ(one.max, other.max);
}

}  // namespace tidings::test
