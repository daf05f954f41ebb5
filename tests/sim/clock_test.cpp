// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/machine/clock.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tidings {
namespace {

TEST(Clock, CyclesBeginAtMultiplesOfThePeriodRoundedDown) {
  const Clock clock(700'000);  // 1428.57... ps
  EXPECT_EQ(clock.time_of(Cycle{0}), Picoseconds{0});
  EXPECT_EQ(clock.time_of(Cycle{1}), Picoseconds{1428});
  EXPECT_EQ(clock.time_of(Cycle{2}), Picoseconds{2857});
  EXPECT_EQ(clock.time_of(Cycle{7}), Picoseconds{10'000});
}

TEST(Clock, FindsTheFirstCycleThatBeginsAtOrAfterATime) {
  const Clock clock(700'000);
  EXPECT_EQ(clock.first_cycle_at_or_after(Picoseconds{0}), Cycle{0});
  EXPECT_EQ(clock.first_cycle_at_or_after(Picoseconds{1}), Cycle{1});
  EXPECT_EQ(clock.first_cycle_at_or_after(Picoseconds{1428}), Cycle{1});
  EXPECT_EQ(clock.first_cycle_at_or_after(Picoseconds{1429}), Cycle{2});
}

TEST(Clock, ConversionsAgreeForManyFrequenciesAndTimes) {
  for (const std::uint64_t khz : {1ULL, 3ULL, 33'333ULL, 100'000ULL, 700'000ULL, 999'999'937ULL}) {
    const Clock clock(khz);
    for (std::uint64_t c = 0; c < 2'000'000; c = c * 3 / 2 + 1) {
      const Picoseconds begin = clock.time_of(Cycle{c});
      EXPECT_LE(clock.first_cycle_at_or_after(begin), Cycle{c}) << khz << " kHz";
      EXPECT_EQ(clock.time_of(clock.first_cycle_at_or_after(begin)), begin) << khz << " kHz";
      EXPECT_GT(clock.first_cycle_at_or_after(begin + 1), Cycle{c}) << khz << " kHz, cycle " << c;
    }
  }
}

TEST(Clock, DoesNotOverflowAfterAWeek) {
  const Clock clock(700'000);
  const std::uint64_t week_in_cycles = 700'000'000ULL * 604'800;
  EXPECT_EQ(clock.time_of(Cycle{week_in_cycles}), Picoseconds{604'800'000'000'000'000ULL});
  EXPECT_EQ(clock.first_cycle_at_or_after(Picoseconds{604'800'000'000'000'000ULL}), Cycle{week_in_cycles});
}

TEST(Clock, RefusesToStandStill) { EXPECT_THROW(Clock(0), std::invalid_argument); }

}  // namespace
}  // namespace tidings
