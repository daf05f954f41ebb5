// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// What is due when. Random numbers are drawn with seed 1.
#include "sim/traffic/due_calendar.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace tidings::traffic {
namespace {

std::vector<std::uint32_t> due(const DueCalendar& calendar, Cycle t) {
  std::vector<std::uint32_t> numbers;
  calendar.for_each(t, [&](std::uint32_t number) { numbers.push_back(number); });
  return numbers;
}

TEST(DueCalendar, ShowsEachNumberOnceInTheCycleInWhichItIsDueInRisingOrder) {
  DueCalendar calendar(10'000);
  std::map<std::uint64_t, std::set<std::uint32_t>> expected;
  std::minstd_rand generator(1);
  for (Cycle t{1'000'003}; t.value < 1'002'000; ++t) {
    for (std::uint64_t drawn = generator() / 16 % 4; drawn != 0; --drawn) {
      const auto number = static_cast<std::uint32_t>(generator() / 16 % 10'000);
      const std::uint64_t cycles = generator() / 16 % DueCalendar::kHorizon;
      calendar.add(number, t, cycles);
      calendar.add(number, t, cycles);
      expected[t.value + cycles].insert(number);
    }
    const auto first = expected.begin();
    const std::uint64_t next = first == expected.end() ? DueCalendar::kHorizon : first->first - t.value;
    ASSERT_EQ(calendar.next(t), next) << t.value;
    if (next != 0) continue;
    EXPECT_EQ(due(calendar, t), std::vector<std::uint32_t>(first->second.begin(), first->second.end()));
    calendar.clear(t);
    EXPECT_TRUE(due(calendar, t).empty());
    expected.erase(first);
  }
}

TEST(DueCalendar, ShowsWhatIsFarAheadAtTheEndOfItsHorizon) {
  DueCalendar calendar(1);
  calendar.add(0, Cycle{5}, 1'000'000);
  EXPECT_EQ(calendar.next(Cycle{5}), DueCalendar::kHorizon - 1);
  EXPECT_EQ(due(calendar, Cycle{5 + DueCalendar::kHorizon - 1}), std::vector<std::uint32_t>{0});
}

TEST(DueCalendar, HasNothingDueAtFirst) { EXPECT_EQ(DueCalendar(100).next(Cycle{7}), DueCalendar::kHorizon); }

}  // namespace
}  // namespace tidings::traffic
