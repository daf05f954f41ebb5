// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "core/abi.h"
#include "core/datatype.h"
#include "core/predefined_types.h"

namespace tidings {
namespace {

DatatypePointer integer() { return std::make_shared<const Datatype>("int", Basic::Int32, 4); }

/// Packed bytes [first, first + bytes) of elements whose memory holds 0, 1, 2, ...
std::vector<unsigned char> packed(const Datatype& type, std::size_t count, std::size_t first, std::size_t bytes) {
  std::vector<unsigned char> memory(count * static_cast<std::size_t>(type.extent()) + type.size());
  std::iota(memory.begin(), memory.end(), static_cast<unsigned char>(0));
  std::vector<unsigned char> out;
  type.visit(memory.data(), first, bytes,
             [&](const unsigned char* piece, std::size_t size) { out.insert(out.end(), piece, piece + size); });
  return out;
}

TEST(Datatype, ContiguousElementsAreOneSegment) {
  const Datatype type = Datatype::contiguous(3, integer());
  EXPECT_EQ(type.size(), 12U);
  EXPECT_EQ(type.extent(), 12);
  EXPECT_TRUE(type.is_contiguous());
  EXPECT_EQ(type.segments(), (std::vector<Segment>{{0, 12}}));
}

TEST(Datatype, VectorHasSegmentsOfItsBlocksAndNoHoleAtTheEnd) {
  const Datatype type = Datatype::vector(3, 2, 16, integer());
  EXPECT_EQ(type.size(), 24U);
  EXPECT_EQ(type.extent(), 40);
  EXPECT_FALSE(type.is_contiguous());
  EXPECT_EQ(type.segments(), (std::vector<Segment>{{0, 8}, {16, 8}, {32, 8}}));
}

TEST(Datatype, VectorWithoutHolesIsContiguous) {
  const Datatype type = Datatype::vector(3, 2, 8, integer());
  EXPECT_TRUE(type.is_contiguous());
  EXPECT_EQ(type.size(), 24U);
}

TEST(Datatype, NegativeStrideExtendsBelowTheAddress) {
  const Datatype type = Datatype::vector(2, 1, -12, integer());
  EXPECT_EQ(type.lower_bound(), -12);
  EXPECT_EQ(type.extent(), 16);
  EXPECT_EQ(type.segments(), (std::vector<Segment>{{0, 4}, {-12, 4}}));
}

TEST(Datatype, EmptyTypesHaveNoData) {
  for (const Datatype& type : {Datatype::contiguous(0, integer()), Datatype::vector(0, 2, 12, integer()),
                               Datatype::vector(3, 0, 12, integer())}) {
    EXPECT_EQ(type.size(), 0U);
    EXPECT_EQ(type.extent(), 0);
    EXPECT_TRUE(packed(type, 2, 0, 0).empty());
  }
}

TEST(Datatype, DerivedFromDerivedKeepsThePackingOrder) {
  const auto inner =
      std::make_shared<const Datatype>(Datatype::vector(2, 1, 8, integer()));  // bytes 0-3 and 8-11, extent 12
  const Datatype outer = Datatype::contiguous(2, inner);
  EXPECT_EQ(outer.segments(), (std::vector<Segment>{{0, 4}, {8, 8}, {20, 4}}));
  EXPECT_EQ(outer.extent(), 24);
}

TEST(Datatype, BoundsOfTheProgramsChoiceAloneCount) {
  const auto wide = std::make_shared<const Datatype>(Datatype::resized(integer(), -4, 32));
  EXPECT_EQ(wide->lower_bound(), -4);
  EXPECT_EQ(wide->extent(), 32);
  EXPECT_EQ(wide->true_lower_bound(), 0);
  EXPECT_EQ(wide->true_extent(), 4);
  const Datatype type = Datatype::structure({{-100, 1, integer()}, {8, 2, wide}});
  EXPECT_EQ(type.lower_bound(), 4);
  EXPECT_EQ(type.extent(), 64);
  EXPECT_EQ(type.true_lower_bound(), -100);
  EXPECT_EQ(type.segments(), (std::vector<Segment>{{-100, 4}, {8, 4}, {40, 4}}));
}

TEST(Datatype, ExtentIsRoundedUpToTheAlignment) {
  const auto byte = std::make_shared<const Datatype>("byte", Basic::Byte, 1);
  EXPECT_EQ(Datatype::structure({{0, 1, integer()}, {4, 1, byte}}).extent(), 8);
  EXPECT_EQ(Datatype::indexed({{0, 1}, {5, 1}}, integer()).extent(), 12);
  EXPECT_EQ(Datatype::indexed({{0, 1}, {5, 1}}, byte).extent(), 6);
}

/// As a rank makes the datatype of a target that another one has described.
TEST(Datatype, AnExtentThatIsGivenStays) {
  for (const std::size_t extent : {3U, 18U, 24U, 40U}) {
    EXPECT_EQ(
        Datatype("a record", Basic::None, extent, {{0, 1}, {static_cast<std::ptrdiff_t>(extent) - 1, 1}}).extent(),
        static_cast<std::ptrdiff_t>(extent));
  }
}

TEST(Datatype, ElementsAreCountedToTheLastWholeOne) {
  const auto pair = std::make_shared<const Datatype>("pair", Basic::DoubleInt, 16, std::vector<Segment>{{0, 12}});
  const Datatype type = Datatype::structure({{0, 2, integer()}, {8, 3, pair}});
  EXPECT_EQ(type.elements(), 8U);
  constexpr std::size_t kBytes[] = {0, 4, 8, 16, 20, 28, 32, 40, 44};
  for (std::size_t n = 0; n < std::size(kBytes); ++n) {
    EXPECT_EQ(type.bytes_of_elements(n), kBytes[n]);
    EXPECT_EQ(type.elements_of_bytes(kBytes[n]), n);
    EXPECT_EQ(type.bytes_of_elements(16 + n), 2 * type.size() + kBytes[n]);
    EXPECT_EQ(type.elements_of_bytes(2 * type.size() + kBytes[n]), 16 + n);
  }
  EXPECT_EQ(type.elements_of_bytes(10), std::nullopt);
  EXPECT_EQ(type.elements_of_bytes(18), std::nullopt);
}

TEST(Datatype, AnyPartOfThePackedBytesCanBeVisited) {
  const Datatype type = Datatype::vector(3, 1, 8, integer());
  constexpr std::size_t kCount = 4;
  const auto whole = packed(type, kCount, 0, kCount * type.size());
  ASSERT_EQ(whole.size(), kCount * type.size());
  EXPECT_EQ(whole[4], 8);
  EXPECT_EQ(whole[12], 20);
  for (std::size_t first = 0; first < whole.size(); ++first) {
    for (std::size_t bytes = 0; first + bytes <= whole.size(); ++bytes) {
      const auto at = whole.begin() + static_cast<std::ptrdiff_t>(first);
      ASSERT_EQ(packed(type, kCount, first, bytes),
                std::vector<unsigned char>(at, at + static_cast<std::ptrdiff_t>(bytes)));
    }
  }
}

TEST(PredefinedTypes, AreCommittedAndHaveTheSizesOfTheirCTypes) {
  HandleTable<Datatype> table;
  define_predefined_types(table);
  const auto size = [&](MPI_Datatype handle) { return table.find(reinterpret_cast<std::intptr_t>(handle))->size(); };
  EXPECT_EQ(size(MPI_INT), sizeof(int));
  EXPECT_EQ(size(MPI_LONG_DOUBLE), sizeof(long double));
  EXPECT_EQ(size(MPI_WCHAR), sizeof(wchar_t));
  EXPECT_EQ(size(MPI_C_DOUBLE_COMPLEX), 2 * sizeof(double));
  EXPECT_EQ(size(MPI_DOUBLE_INT), sizeof(double) + sizeof(int));
  EXPECT_EQ(size(MPI_SHORT_INT), sizeof(short) + sizeof(int));
  EXPECT_TRUE(table.find(reinterpret_cast<std::intptr_t>(MPI_INT))->committed());
  EXPECT_EQ(table.find(reinterpret_cast<std::intptr_t>(MPI_DATATYPE_NULL)), nullptr);
}

TEST(PredefinedTypes, PairsHaveTheLayoutOfAStruct) {
  HandleTable<Datatype> table;
  define_predefined_types(table);
  const auto type = table.find(reinterpret_cast<std::intptr_t>(MPI_DOUBLE_INT));
  EXPECT_EQ(type->extent(), 16);
  EXPECT_FALSE(type->is_contiguous());
  const auto small = table.find(reinterpret_cast<std::intptr_t>(MPI_SHORT_INT));
  EXPECT_EQ(small->segments(), (std::vector<Segment>{{0, 2}, {4, 4}}));
}

}  // namespace
}  // namespace tidings
