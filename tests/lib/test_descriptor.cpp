// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/abi.h"
#include "core/descriptor.h"
#include "core/engine_word.h"

namespace tidings {
namespace {

CollectiveDescriptor reduce(std::uint16_t root, std::uint64_t count) {
  CollectiveDescriptor d;
  d.kind = Collective::Reduce;
  d.root = root;
  d.count = count;
  d.bytes = 4 * count;
  d.type = static_cast<std::uint16_t>(reinterpret_cast<std::uintptr_t>(MPI_INT));
  d.operation = static_cast<std::uint8_t>(reinterpret_cast<std::uintptr_t>(MPI_SUM));
  return d;
}

TEST(CollectiveDescriptor, TextNamesRootCountTypeAndOperation) {
  EXPECT_EQ(to_string(reduce(1, 4)), "MPI_Reduce(root 1, 4 x MPI_INT, MPI_SUM)");
  CollectiveDescriptor barrier;
  barrier.kind = Collective::Barrier;
  EXPECT_EQ(to_string(barrier), "MPI_Barrier");
}

TEST(CollectiveDescriptor, RanksMustAgreeOnKindRootBytesAndOperation) {
  const auto ours = reduce(1, 4);
  EXPECT_TRUE(ours.agrees(reduce(1, 4)));
  EXPECT_FALSE(ours.agrees(reduce(2, 4)));
  EXPECT_FALSE(ours.agrees(reduce(1, 5)));
  auto other = ours;
  other.operation = static_cast<std::uint8_t>(reinterpret_cast<std::uintptr_t>(MPI_MAX));
  EXPECT_FALSE(ours.agrees(other));
  other = ours;
  other.kind = Collective::Bcast;
  EXPECT_FALSE(ours.agrees(other));
}

TEST(CollectiveDescriptor, SameBytesByAnotherTypeAgree) {
  auto other = reduce(1, 4);
  other.type = 0;
  other.count = 1;
  EXPECT_TRUE(reduce(1, 4).agrees(other));
}

TEST(EngineWord, DiffersWhereDescriptorsDoNotAgree) {
  const auto ours = reduce(1, 4);
  EXPECT_NE(engine_word(ours), engine_word(reduce(2, 4)));
  EXPECT_NE(engine_word(ours), engine_word(reduce(1, 5)));
  EXPECT_NE(engine_word(ours), engine_word(ours, {TIDINGS_ELEMENT_INT32, TIDINGS_COMBINE_MAX}));
  EXPECT_NE(engine_word(ours), engine_word(ours, {TIDINGS_ELEMENT_FLOAT, TIDINGS_COMBINE_SUM}));
  EXPECT_NE(engine_word(reduce(1, 70000)), engine_word(reduce(1, 70001)));
}

TEST(EngineWord, TellsWhatTheOtherSideReduced) {
  const std::uint32_t word = engine_word(reduce(200, 65535), {TIDINGS_ELEMENT_DOUBLE, TIDINGS_COMBINE_MIN});
  EXPECT_EQ(explain_engine_word(word, reduce(1, 4)), "MPI_Reduce(root 200, 65535 x MPI_DOUBLE, MPI_MIN)");
  EXPECT_EQ(explain_engine_word(engine_word(reduce(0, 65536)), reduce(1, 4)),
            "MPI_Reduce(root 0, another number above 65535 x MPI_INT, MPI_SUM)");
}

TEST(EngineWord, TellsABroadcastInElementsOfOurTypeWhereItCan) {
  CollectiveDescriptor theirs;
  theirs.kind = Collective::Bcast;
  theirs.root = 3;
  theirs.bytes = 64;
  EXPECT_EQ(explain_engine_word(engine_word(theirs), reduce(1, 4)), "MPI_Bcast(root 3, 16 x MPI_INT)");
  theirs.bytes = 63;
  EXPECT_EQ(explain_engine_word(engine_word(theirs), reduce(1, 4)), "MPI_Bcast(root 3, 63 bytes)");
  theirs.bytes = 1U << 22;
  EXPECT_EQ(explain_engine_word(engine_word(theirs), reduce(1, 4)),
            "MPI_Bcast(root 3, another number above 2097151 bytes)");
}

TEST(EngineWord, TellsABarrier) {
  CollectiveDescriptor theirs;
  theirs.kind = Collective::Barrier;
  EXPECT_EQ(explain_engine_word(engine_word(theirs), reduce(1, 4)), "MPI_Barrier");
}

}  // namespace
}  // namespace tidings
