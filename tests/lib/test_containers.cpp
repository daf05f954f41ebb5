// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
// What the library keeps its objects in.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/call_arguments.h"
#include "core/handle_table.h"
#include "core/node_memory.h"
#include "core/request.h"
#include "core/ring_queue.h"

namespace tidings {
namespace {

TEST(HandleTable, StaleHandleNamesNothingAlthoughItsPlaceIsUsedAgain) {
  HandleTable<int> table;
  std::set<std::intptr_t> seen;
  std::intptr_t first = 0;
  for (int i = 0; i < 256; ++i) {
    const std::intptr_t handle = table.add(std::make_shared<int>(i));
    if (i == 0) first = handle;
    EXPECT_GE(handle, HandleTable<int>::kFirst);
    EXPECT_TRUE(seen.insert(handle).second);
    EXPECT_EQ(*table.find(handle), i);
    table.remove(handle);
    for (const std::intptr_t old : seen) ASSERT_EQ(table.find(old), nullptr);
  }
  EXPECT_EQ(table.add(std::make_shared<int>(0)), first) << "a handle fits into an integer of Fortran";
}

TEST(HandleTable, ObjectsKeepTheirPlaceWhileItGrows) {
  HandleTable<int> table;
  const auto& first = table.find(table.add(std::make_shared<int>(7)));
  std::vector<std::intptr_t> handles;
  for (int i = 0; i < 2000; ++i) handles.push_back(table.add(std::make_shared<int>(i)));
  EXPECT_EQ(*first, 7);
  for (int i = 0; i < 2000; ++i) EXPECT_EQ(*table.find(handles[static_cast<std::size_t>(i)]), i);
}

TEST(HandleTable, WhatNoHandleCanBeNamesNothing) {
  HandleTable<int> table;
  table.define(0x101, std::make_shared<int>(3));
  EXPECT_EQ(*table.find(0x101), 3);
  for (const std::intptr_t handle : {std::intptr_t{0}, std::intptr_t{0x102}, std::intptr_t{0xfff}, std::intptr_t{-1},
                                     HandleTable<int>::kFirst, std::intptr_t{1} << 40}) {
    EXPECT_EQ(table.find(handle), nullptr) << handle;
    table.remove(handle);
  }
}

TEST(RingQueue, KeepsTheOrderWhileItGrowsAndWraps) {
  RingQueue<int> queue;
  int in = 0;
  int out = 0;
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < round; ++i) queue.push_back(in++);
    for (int i = 0; i < round - 1; ++i) ASSERT_EQ(queue.pop_front(), out++);
  }
  while (!queue.empty()) {
    EXPECT_EQ(queue.front(), out);
    EXPECT_EQ(queue.pop_front(), out++);
  }
  EXPECT_EQ(in, out);
}

TEST(RequestPointer, LastShareGivesTheMemoryToTheNextRequest) {
  RequestPointer first = RequestPointer::make();
  const Request* const place = &*first;
  first->tag = 5;
  RequestPointer second = first;
  first.reset();
  EXPECT_TRUE(first == nullptr);
  EXPECT_EQ(second->tag, 5);
  second = nullptr;
  const RequestPointer third = RequestPointer::make();
  EXPECT_EQ(&*third, place);
  EXPECT_EQ(third->tag, kAny);
}

TEST(CallText, HasValuesInPlaceOfPercentSigns) {
  CallArguments arguments;
  arguments.add("source %", 3);
  arguments.add("any tag");
  arguments.add("offset %", INT64_MIN);
  EXPECT_EQ(arguments.text("MPI_Recv"), "MPI_Recv(source 3, any tag, offset -9223372036854775808)");
  EXPECT_EQ(CallArguments().text("MPI_Barrier"), "MPI_Barrier");
}

TEST(CallText, IsCutWhereTheRoomEnds) {
  CallArguments arguments;
  arguments.add("tag %", 123456);
  std::array<char, 9> text{};
  EXPECT_EQ(tidings_call_text("send", arguments.data(), arguments.count(), text.data(), text.size()), 8U);
  EXPECT_STREQ(text.data(), "send(tag");
}

TEST(NodeMemory, PartsDoNotOverlapAndPlacesAreUsedAgain) {
  NodeMemory memory(96, 1000);  // 96 to 1096
  const auto first = memory.take(100, 64);
  const auto second = memory.take(300, 64);
  const auto third = memory.take(500, 8);
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(*first, 128U);
  EXPECT_EQ(*second, 256U);
  EXPECT_EQ(*third, 560U);
  EXPECT_EQ(memory.take(100, 64), std::nullopt);
  EXPECT_TRUE(memory.give_back(*second));
  EXPECT_FALSE(memory.give_back(*second));
  EXPECT_EQ(memory.take(305, 64), std::nullopt);
  EXPECT_EQ(memory.take(304, 64), 256U);
  EXPECT_EQ(memory.take(36, 4), 1060U);
  EXPECT_EQ(memory.take(1, 1), 96U);
}

}  // namespace
}  // namespace tidings
