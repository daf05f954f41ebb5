// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/abi.h"
#include "core/descriptor.h"

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
  EXPECT_EQ(engine_word(reduce(1, 4)), engine_word(other));
}

TEST(EngineWord, DiffersWhereDescriptorsDoNotAgree) {
  const auto ours = reduce(1, 4);
  EXPECT_NE(engine_word(ours), engine_word(reduce(2, 4)));
  EXPECT_NE(engine_word(ours), engine_word(reduce(1, 5)));
  auto other = ours;
  other.operation = 255;
  EXPECT_NE(engine_word(ours), engine_word(other));
}

TEST(EngineWord, TellsKindAndRootOfTheOtherSide) {
  CollectiveDescriptor theirs;
  theirs.kind = Collective::Bcast;
  theirs.root = 3;
  theirs.bytes = 64;
  EXPECT_EQ(explain_engine_word(engine_word(theirs), reduce(1, 4)), "MPI_Bcast(root 3)");
  EXPECT_EQ(explain_engine_word(engine_word(reduce(1, 5)), reduce(1, 4)),
            "MPI_Reduce(root 1) with another size or operation");
}

}  // namespace
}  // namespace tidings
