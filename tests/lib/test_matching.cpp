// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/matching.h"

namespace tidings {
namespace {

Search ignored;

TEST(PostedQueue, OldestReceiveThatMatchesIsTakenWhateverItsWildcards) {
  PostedQueue<std::optional<int>> queue;
  queue.post({0, kAny, kAny}, 1);
  queue.post({0, 3, 7}, 2);
  queue.post({0, 3, kAny}, 3);
  queue.post({0, kAny, 7}, 4);
  for (const int expected : {1, 2, 3, 4}) EXPECT_EQ(queue.match({0, 3, 7}, ignored), expected);
  EXPECT_EQ(queue.match({0, 3, 7}, ignored), std::nullopt);
}

TEST(PostedQueue, OtherContextsSourcesAndTagsDoNotMatch) {
  PostedQueue<std::optional<int>> queue;
  queue.post({1, 3, 7}, 1);
  EXPECT_EQ(queue.match({0, 3, 7}, ignored), std::nullopt);
  EXPECT_EQ(queue.match({1, 2, 7}, ignored), std::nullopt);
  EXPECT_EQ(queue.match({1, 3, 8}, ignored), std::nullopt);
  EXPECT_EQ(queue.match({1, 3, 7}, ignored), 1);
}

TEST(UnexpectedQueue, MessagesOfOneEnvelopeAreTakenInOrder) {
  UnexpectedQueue<int> queue;
  queue.add({0, 1, 5}, 10);
  queue.add({0, 1, 6}, 20);
  queue.add({0, 1, 5}, 11);
  EXPECT_EQ(queue.take({0, 1, 5}, ignored)->item, 10);
  EXPECT_EQ(queue.take({0, 1, 5}, ignored)->item, 11);
  EXPECT_EQ(queue.take({0, 1, 5}, ignored), std::nullopt);
  EXPECT_EQ(queue.take({0, kAny, kAny}, ignored)->item, 20);
}

TEST(UnexpectedQueue, WildcardTakesTheOldestOfItsContext) {
  UnexpectedQueue<int> queue;
  queue.add({2, 0, 0}, 1);
  queue.add({0, 4, 9}, 2);
  queue.add({0, 1, 9}, 3);
  queue.add({0, 1, 8}, 4);
  EXPECT_EQ(queue.find({0, kAny, 9}, ignored)->item, 2);
  EXPECT_EQ(queue.take({0, 1, kAny}, ignored)->item, 3);
  EXPECT_EQ(queue.take({0, kAny, 8}, ignored)->item, 4);
  EXPECT_EQ(queue.take({0, kAny, kAny}, ignored)->item, 2);
  EXPECT_EQ(queue.find({0, kAny, kAny}, ignored), nullptr);
}

TEST(Matching, AgreesWithASimpleListOnRandomTraffic) {
  std::mt19937 random(12345);
  struct Waiting {
    Envelope envelope;
    int id;
  };
  std::vector<Waiting> posted;
  std::vector<Waiting> arrived;
  PostedQueue<std::optional<int>> receives;
  UnexpectedQueue<int> messages;
  const auto pick = [&](int limit) { return static_cast<std::int32_t>(random() % static_cast<unsigned>(limit)); };
  for (int id = 0; id < 20000; ++id) {
    Envelope envelope{static_cast<std::uint32_t>(pick(2)), pick(3), pick(3)};
    if (pick(2) == 0) {
      const auto expected =
          std::find_if(posted.begin(), posted.end(), [&](const Waiting& w) { return matches(w.envelope, envelope); });
      const auto found = receives.match(envelope, ignored);
      if (expected == posted.end()) {
        ASSERT_EQ(found, std::nullopt);
        arrived.push_back({envelope, id});
        messages.add(envelope, id);
      } else {
        ASSERT_EQ(found, expected->id);
        posted.erase(expected);
      }
    } else {
      if (pick(3) == 0) envelope.source = kAny;
      if (pick(3) == 0) envelope.tag = kAny;
      const auto expected =
          std::find_if(arrived.begin(), arrived.end(), [&](const Waiting& w) { return matches(envelope, w.envelope); });
      const auto found = messages.take(envelope, ignored);
      if (expected == arrived.end()) {
        ASSERT_EQ(found, std::nullopt);
        posted.push_back({envelope, id});
        receives.post(envelope, id);
      } else {
        ASSERT_EQ(found->item, expected->id);
        arrived.erase(expected);
      }
    }
  }
}

TEST(Matching, CostOfAnExactMatchDoesNotGrowWithWaitingEntries) {
  PostedQueue<std::optional<int>> receives;
  UnexpectedQueue<int> messages;
  for (std::int32_t source = 0; source < 1000; ++source) {
    receives.post({0, source, 1}, source);
    messages.add({0, source, 1}, source);
  }
  Search search;
  EXPECT_EQ(receives.match({0, 999, 1}, search), 999);
  EXPECT_EQ(messages.take({0, 999, 1}, search)->item, 999);
  EXPECT_EQ(search.looked, 2U);
}

}  // namespace
}  // namespace tidings
