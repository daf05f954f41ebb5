// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// The registry of algorithms, and the tables that choose from it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "coll/selection.h"

namespace tidings {
namespace {

/// What a function refuses with.
template <class Function>
std::string refusal(Function function) {
  try {
    function();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

std::string refusal_of_table(const std::string& text) {
  return refusal([&] { static_cast<void>(Selection().with_table(text, "table")); });
}

std::string refusal_of_choices(const std::string& text) {
  return refusal([&] { static_cast<void>(Selection().with_choices(text)); });
}

TEST(Registry, NamesEachAlgorithmOfACollectiveOnce) {
  std::set<std::pair<Collective, std::string>> names;
  for (const Algorithm& algorithm : algorithms()) {
    EXPECT_TRUE(names.emplace(algorithm.collective, algorithm.name).second) << algorithm.name;
    EXPECT_EQ(&algorithm_named(algorithm.collective, algorithm.name), &algorithm);
    EXPECT_FALSE(algorithm.meaning.empty());
    EXPECT_NE(algorithm.function, nullptr);
  }
}

TEST(Registry, HasEveryShapeInTheCollectivesOfTheEngine) {
  for (const Shape& shape : shapes()) {
    for (const Collective family :
         {Collective::Barrier, Collective::Bcast, Collective::Reduce, Collective::Allreduce}) {
      const bool rooted = family == Collective::Bcast || family == Collective::Reduce;
      if (!shape.is_tree() && rooted) continue;
      EXPECT_EQ(algorithm_named(family, shape.name).shape, &shape) << shape.name;
    }
  }
}

TEST(BuiltInTable, HasARuleForEveryCallThatMessagesCanDo) {
  for (const auto& [family, name] : kFamilies) {
    const auto rules = Selection::built_in().rules(family);
    EXPECT_TRUE(std::any_of(rules.begin(), rules.end(),
                            [](const Rule& rule) {
                              const Requirements& needs = rule.algorithm->needs;
                              return rule.allows(Carrier::Messages) && rule.ignores_bytes() && rule.ranks.is_all() &&
                                     !rule.neighbours && !needs.commutative && !needs.equal_blocks &&
                                     !needs.element_per_rank && rule.algorithm->shape == nullptr;
                            }) ||
                family == Collective::Bcast)
        << family_name(family);
  }
  const Rule last = Selection::built_in().rules(Collective::Bcast).back();
  EXPECT_EQ(last.algorithm->name, "binomial");
  EXPECT_TRUE(last.ignores_bytes() && last.allows(Carrier::Messages));
}

TEST(Table, RulesHaveConditionsAndComeBeforeThoseTheyAreAddedTo) {
  const Selection selection = Selection::built_in().with_table(
      "# comment\n\n bcast chain engine neighbours ranks>4 # more\n"
      "bcast star messages bytes<=100 total>=64 ranks<9\r\n",
      "table");
  const auto rules = selection.rules(Collective::Bcast);
  ASSERT_EQ(rules.size(), 2 + Selection::built_in().rules(Collective::Bcast).size());
  EXPECT_EQ(rules[0].algorithm->name, "chain");
  EXPECT_EQ(rules[0].carrier, Carrier::Engine);
  EXPECT_TRUE(rules[0].neighbours);
  EXPECT_FALSE(rules[0].ranks.holds(4));
  EXPECT_TRUE(rules[0].ranks.holds(5));
  EXPECT_TRUE(rules[0].ignores_bytes());
  EXPECT_EQ(rules[1].algorithm->name, "star");
  EXPECT_FALSE(rules[1].allows(Carrier::Engine));
  EXPECT_TRUE(rules[1].ranks.holds(8));
  EXPECT_FALSE(rules[1].ranks.holds(9));
  EXPECT_TRUE(rules[1].allows_bytes(100, 8));
  EXPECT_FALSE(rules[1].allows_bytes(101, 8));
  EXPECT_TRUE(rules[1].allows_bytes(8, 8));
  EXPECT_FALSE(rules[1].allows_bytes(7, 8));
  EXPECT_FALSE(rules[1].allows_bytes(std::nullopt, 8));
  EXPECT_TRUE(rules[0].allows_bytes(std::nullopt, 8));
}

TEST(Table, ErrorsSayWhereWhatAndWhatThereIs) {
  EXPECT_EQ(refusal_of_table("barrier star\nallreduce rng\n").substr(0, 62),
            "table:2: no algorithm 'rng' for allreduce; there are recursive");
  EXPECT_NE(refusal_of_table("allreduce rng").find(", ring, row-column, switches, halving, gather, 4-way, gray, "),
            std::string::npos);
  EXPECT_EQ(refusal_of_table("broadcast chain"),
            "table:1: no collective 'broadcast'; there are barrier, bcast, reduce, allreduce, scan, gather, scatter, "
            "allgather, alltoall, exscan, reduce_scatter");
  EXPECT_EQ(refusal_of_table("bcast"), "table:1: which algorithm for bcast?");
  for (const std::string word : {"bytes", "bytes=4", "bytes>", "bytes>x", "bytes>4k", "size>4", "fast", "bytes>=-1"}) {
    EXPECT_EQ(refusal_of_table("bcast chain " + word).substr(0, 23 + word.size()), "table:1: no condition '" + word)
        << word;
  }
  EXPECT_EQ(refusal_of_table("bcast chain engine messages"), "table:1: engine and messages exclude each other");
  EXPECT_EQ(refusal_of_table("allreduce ring engine"), "table:1: the engine has no ring for allreduce");
  EXPECT_EQ(refusal_of_table("allreduce ring neighbours"), "table:1: ring has no edges that could join neighbours");
  EXPECT_EQ(refusal_of_table("bcast chain ranks<0"), "table:1: nothing is less than 0");
}

TEST(Choices, ComeFirstAndSayWhatIsWrong) {
  const Selection selection = Selection::built_in().with_choices("allreduce=ring,bcast=chain");
  EXPECT_EQ(selection.choices(), "allreduce=ring,bcast=chain");
  EXPECT_EQ(selection.rules(Collective::Allreduce).front().algorithm->name, "ring");
  EXPECT_EQ(selection.rules(Collective::Bcast).front().algorithm->name, "chain");
  EXPECT_EQ(selection.rules(Collective::Reduce).size(), Selection::built_in().rules(Collective::Reduce).size());
  EXPECT_EQ(refusal_of_choices("allreduce"), "'allreduce' names no algorithm: write it as allreduce=ring");
  EXPECT_EQ(refusal_of_choices("bcast=chain,bcast=star"), "two algorithms for bcast: chain and star");
  EXPECT_EQ(refusal_of_choices("gather=ring"),
            "no algorithm 'ring' for gather; there are binomial, linear, 4-nomial, 8-nomial, two-level, switches");
}

}  // namespace
}  // namespace tidings
