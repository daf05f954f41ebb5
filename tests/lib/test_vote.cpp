// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
/// @file test_vote.cpp
/// The agreement on the id of a communicator: what one member says, and what it makes of what others say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "mpi/vote.h"

using namespace tidings;
using State = Vote::State;

namespace {

constexpr bool kAlone = true;
constexpr std::uint32_t kParent = 7;
constexpr std::uint32_t kLast = 104;

IdRange few_ids() { return {100, kLast}; }

/// Let votes that go on at once hear what they say themselves, in turn, until all are over.
std::vector<std::uint32_t> ids_of(std::deque<Vote>& votes) {
  std::vector<std::uint32_t> ids(votes.size());
  for (std::size_t open = votes.size(); open != 0;) {
    std::vector<std::uint32_t> said;
    for (const Vote& vote : votes) said.push_back(vote.say());
    for (std::size_t i = 0; i < votes.size(); ++i) {
      if (ids[i] != 0 || votes[i].hear(said[i]) != State::Agreed) continue;
      ids[i] = votes[i].id();
      --open;
    }
  }
  return ids;
}

}  // namespace

TEST(Vote, OneThatIsAloneEndsAfterARound) {
  IdRange range = few_ids();
  Vote first(range, kParent, kAlone);
  EXPECT_EQ(first.say(), 100U);
  EXPECT_EQ(first.hear(102), State::Agreed);
  EXPECT_EQ(first.id(), 102U);
  EXPECT_EQ(Vote(range, kParent, kAlone).say(), 103U);
}

TEST(Vote, OneThatIsNotAloneTakesTheIdBeforeAllHaveAgreed) {
  IdRange range = few_ids();
  Vote vote(range, kParent, !kAlone);
  EXPECT_EQ(vote.hear(vote.say()), State::GoesOn);
  EXPECT_FALSE(CommunicatorIds::is_free(100));
  EXPECT_EQ(vote.say(), 0U) << "this member could take it";
  EXPECT_EQ(vote.hear(0), State::Agreed);
  EXPECT_EQ(vote.id(), 100U);
}

TEST(Vote, TheRefusalOfAnotherGivesTheIdBack) {
  IdRange range = few_ids();
  Vote vote(range, 0, !kAlone);
  static_cast<void>(vote.hear(vote.say()));
  EXPECT_EQ(vote.hear(1), State::GoesOn);
  EXPECT_TRUE(CommunicatorIds::is_free(100));
  EXPECT_EQ(vote.hear(vote.say()), State::GoesOn);
  EXPECT_EQ(vote.hear(0), State::Agreed);
  EXPECT_EQ(vote.id(), 101U);
}

TEST(Vote, AMemberThatIsAloneVotesIfAnotherIsNot) {
  IdRange mine = few_ids();
  IdRange theirs = few_ids();
  const CommunicatorId used(101);
  mine.next = 102;
  Vote vote(mine, kParent, kAlone);
  EXPECT_EQ(vote.hear(Vote(theirs, kParent, !kAlone).say()), State::GoesOn);
  EXPECT_EQ(vote.hear(1), State::GoesOn);
}

TEST(Vote, SeveralAtOnceTakeDifferentIds) {
  IdRange range{100, 1000};
  std::deque<Vote> votes;
  for (std::uint32_t parent = 0; parent < 8; ++parent) votes.emplace_back(range, parent, !kAlone);
  std::vector<std::uint32_t> ids = ids_of(votes);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST(Vote, IdsAreTakenAgainWhenAllHaveBeenUsed) {
  IdRange range = few_ids();
  range.next = kLast + 1;
  const CommunicatorId used(100);
  for (const bool alone : {kAlone, !kAlone}) {
    Vote vote(range, kParent, alone);
    EXPECT_EQ(vote.hear(vote.say()), State::GoesOn);
    EXPECT_EQ(vote.hear(vote.say()), State::GoesOn);
    EXPECT_EQ(vote.say(), 0U);
    EXPECT_EQ(vote.hear(0), State::Agreed);
    EXPECT_EQ(vote.id(), 101U) << "100 is used";
  }
}

TEST(Vote, EveryIdIsTriedIfAllAreAlone) {
  IdRange range = few_ids();
  range.next = kLast + 1;
  Vote vote(range, kParent, kAlone);
  static_cast<void>(vote.hear(vote.say()));
  for (std::uint32_t id = 100; id < kLast; ++id) {
    EXPECT_EQ(vote.hear(vote.say()), State::GoesOn);
    EXPECT_EQ(vote.hear(1), State::GoesOn) << "another member uses " << id;
  }
  EXPECT_EQ(vote.hear(vote.say()), State::GoesOn);
  EXPECT_EQ(vote.hear(0), State::Agreed);
  EXPECT_EQ(vote.id(), kLast);
}

TEST(Vote, ItSaysIfNoneIsLeft) {
  IdRange range{100, 101};
  const CommunicatorId first(100);
  const CommunicatorId second(101);
  range.next = 102;
  Vote vote(range, kParent, kAlone);
  EXPECT_EQ(vote.hear(vote.say()), State::GoesOn);
  EXPECT_EQ(vote.hear(vote.say()), State::NoneLeft);
}
