// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/located.h"
#include "core/operation.h"
#include "core/predefined_types.h"

namespace tidings {
namespace {

class Reduction : public testing::Test {
 protected:
  Reduction() {
    define_predefined_types(types_);
    define_predefined_operations(operations_);
  }

  [[nodiscard]] const Datatype& type(MPI_Datatype handle) const {
    return *types_.find(reinterpret_cast<std::intptr_t>(handle));
  }
  [[nodiscard]] const Operation& operation(MPI_Op handle) const {
    return *operations_.find(reinterpret_cast<std::intptr_t>(handle));
  }
  [[nodiscard]] bool accepts(MPI_Op op, MPI_Datatype handle) const { return operation(op).accepts(type(handle)); }

  template <class T>
  T reduce(MPI_Op op, MPI_Datatype handle, T a, T b) const {
    operation(op).apply(&a, &b, 1, type(handle));
    return b;
  }

 private:
  HandleTable<Datatype> types_;
  HandleTable<const Operation> operations_;
};

TEST_F(Reduction, IntegersAreSummedComparedAndCombinedBitwise) {
  EXPECT_EQ(reduce(MPI_SUM, MPI_INT, 5, -7), -2);
  EXPECT_EQ(reduce(MPI_PROD, MPI_INT, 5, -7), -35);
  EXPECT_EQ(reduce(MPI_MIN, MPI_INT, 5, -7), -7);
  EXPECT_EQ(reduce(MPI_MAX, MPI_INT, 5, -7), 5);
  EXPECT_EQ(reduce(MPI_BAND, MPI_INT, 12, 10), 8);
  EXPECT_EQ(reduce(MPI_BOR, MPI_INT, 12, 10), 14);
  EXPECT_EQ(reduce(MPI_BXOR, MPI_INT, 12, 10), 6);
  EXPECT_EQ(reduce(MPI_LAND, MPI_INT, 12, 0), 0);
  EXPECT_EQ(reduce(MPI_LOR, MPI_INT, 12, 0), 1);
  EXPECT_EQ(reduce(MPI_LXOR, MPI_INT, 12, 10), 0);
}

TEST_F(Reduction, IntegersWrapAround) {
  constexpr int kMost = std::numeric_limits<int>::max();
  EXPECT_EQ(reduce(MPI_SUM, MPI_INT, kMost, 1), std::numeric_limits<int>::min());
  EXPECT_EQ(reduce<std::uint16_t>(MPI_PROD, MPI_UINT16_T, 65535, 65535), 1);
  EXPECT_EQ(reduce<std::int8_t>(MPI_SUM, MPI_INT8_T, 127, 1), -128);
}

TEST_F(Reduction, UnsignedAreComparedAsUnsigned) {
  EXPECT_EQ(reduce<unsigned>(MPI_MAX, MPI_UNSIGNED, 0xffffffffU, 1), 0xffffffffU);
  EXPECT_EQ(reduce<std::uint64_t>(MPI_MIN, MPI_UINT64_T, ~0ULL, 1), 1U);
}

TEST_F(Reduction, LocationsOfEqualValuesAreTheLowest) {
  const auto least = reduce(MPI_MINLOC, MPI_DOUBLE_INT, Located<double>{2.5, 7}, Located<double>{2.5, 3});
  EXPECT_EQ(least.index, 3);
  const auto other = reduce(MPI_MAXLOC, MPI_DOUBLE_INT, Located<double>{2.5, 3}, Located<double>{2.5, 7});
  EXPECT_EQ(other.index, 3);
  EXPECT_EQ(reduce(MPI_MAXLOC, MPI_2INT, Located<int>{4, 0}, Located<int>{9, 5}).index, 5);
  EXPECT_EQ(reduce(MPI_MINLOC, MPI_SHORT_INT, Located<short>{4, 0}, Located<short>{9, 5}).index, 0);
}

TEST_F(Reduction, ComplexNumbersAreMultiplied) {
  const auto product = reduce(MPI_PROD, MPI_C_DOUBLE_COMPLEX, std::complex<double>(1, 2), std::complex<double>(3, -1));
  EXPECT_EQ(product, std::complex<double>(5, 5));
}

TEST_F(Reduction, OperationsAcceptTheTypesOfTheStandard) {
  EXPECT_TRUE(accepts(MPI_SUM, MPI_LONG_DOUBLE));
  EXPECT_TRUE(accepts(MPI_SUM, MPI_C_FLOAT_COMPLEX));
  EXPECT_FALSE(accepts(MPI_MAX, MPI_C_FLOAT_COMPLEX));
  EXPECT_FALSE(accepts(MPI_SUM, MPI_BYTE));
  EXPECT_TRUE(accepts(MPI_BXOR, MPI_BYTE));
  EXPECT_FALSE(accepts(MPI_BXOR, MPI_DOUBLE));
  EXPECT_TRUE(accepts(MPI_LAND, MPI_C_BOOL));
  EXPECT_TRUE(accepts(MPI_LAND, MPI_LOGICAL));
  EXPECT_FALSE(accepts(MPI_LAND, MPI_FLOAT));
  EXPECT_FALSE(accepts(MPI_MINLOC, MPI_INT));
  EXPECT_FALSE(accepts(MPI_SUM, MPI_2INT));
}

TEST_F(Reduction, FortranTypesAreReducedLikeTheirCounterparts) {
  EXPECT_EQ(reduce<std::int32_t>(MPI_SUM, MPI_INTEGER, 3, 4), 7);
  EXPECT_EQ(reduce(MPI_MAX, MPI_DOUBLE_PRECISION, 3.5, 4.5), 4.5);
  EXPECT_EQ(reduce<std::int32_t>(MPI_LAND, MPI_LOGICAL, 1, 0), 0);
}

void note_length(void*, void* inout, int* length, MPI_Datatype* type) {
  *static_cast<int*>(inout) = *length;
  EXPECT_EQ(*type, MPI_INT);
}

TEST_F(Reduction, UsersFunctionIsToldLengthAndType) {
  std::vector<int> in(7);
  std::vector<int> out(7);
  Operation(note_length, false).apply(in.data(), out.data(), in.size(), type(MPI_INT));
  EXPECT_EQ(out[0], 7);
}

}  // namespace
}  // namespace tidings
