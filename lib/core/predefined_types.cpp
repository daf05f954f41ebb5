// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/predefined_types.h"

#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/abi.h"
#include "core/located.h"

namespace tidings {
namespace {

/// The basic type of an integer whose size is the processor's.
template <typename T>
constexpr Basic integer() {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if (std::is_signed_v<T>) return sizeof(T) == 4 ? Basic::Int32 : Basic::Int64;
  return sizeof(T) == 4 ? Basic::Uint32 : Basic::Uint64;
}

std::shared_ptr<Datatype> made(std::intptr_t wanted) {
  struct Row {
    MPI_Datatype handle;
    const char* name;
    Basic basic;
    std::size_t extent;
    std::array<Segment, 2> segments;  ///< none: they cover the extent
  };
  static const Row rows[] = {
      {MPI_AINT, "MPI_AINT", integer<MPI_Aint>(), sizeof(MPI_Aint), {}},
      {MPI_COUNT, "MPI_COUNT", Basic::Int64, sizeof(MPI_Count), {}},
      {MPI_OFFSET, "MPI_OFFSET", Basic::Int64, sizeof(MPI_Offset), {}},
      {MPI_PACKED, "MPI_PACKED", Basic::Byte, 1, {}},
      {MPI_BYTE, "MPI_BYTE", Basic::Byte, 1, {}},
      {MPI_CHAR, "MPI_CHAR", Basic::Int8, 1, {}},
      {MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR", Basic::Int8, 1, {}},
      {MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR", Basic::Uint8, 1, {}},
      {MPI_WCHAR, "MPI_WCHAR", Basic::Int32, sizeof(wchar_t), {}},
      {MPI_SHORT, "MPI_SHORT", Basic::Int16, sizeof(short), {}},
      {MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT", Basic::Uint16, sizeof(short), {}},
      {MPI_INT, "MPI_INT", Basic::Int32, sizeof(int), {}},
      {MPI_UNSIGNED, "MPI_UNSIGNED", Basic::Uint32, sizeof(int), {}},
      {MPI_LONG, "MPI_LONG", integer<long>(), sizeof(long), {}},
      {MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG", integer<unsigned long>(), sizeof(long), {}},
      {MPI_LONG_LONG, "MPI_LONG_LONG", Basic::Int64, sizeof(long long), {}},
      {MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG", Basic::Uint64, sizeof(long long), {}},
      {MPI_INT8_T, "MPI_INT8_T", Basic::Int8, 1, {}},
      {MPI_UINT8_T, "MPI_UINT8_T", Basic::Uint8, 1, {}},
      {MPI_INT16_T, "MPI_INT16_T", Basic::Int16, 2, {}},
      {MPI_UINT16_T, "MPI_UINT16_T", Basic::Uint16, 2, {}},
      {MPI_INT32_T, "MPI_INT32_T", Basic::Int32, 4, {}},
      {MPI_UINT32_T, "MPI_UINT32_T", Basic::Uint32, 4, {}},
      {MPI_INT64_T, "MPI_INT64_T", Basic::Int64, 8, {}},
      {MPI_UINT64_T, "MPI_UINT64_T", Basic::Uint64, 8, {}},
      {MPI_FLOAT, "MPI_FLOAT", Basic::Float, sizeof(float), {}},
      {MPI_DOUBLE, "MPI_DOUBLE", Basic::Double, sizeof(double), {}},
      {MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", Basic::LongDouble, sizeof(long double), {}},
      {MPI_C_FLOAT_COMPLEX, "MPI_C_FLOAT_COMPLEX", Basic::ComplexFloat, 2 * sizeof(float), {}},
      {MPI_CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX", Basic::ComplexFloat, 2 * sizeof(float), {}},
      {MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", Basic::ComplexDouble, 2 * sizeof(double), {}},
      {MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX", Basic::ComplexDouble, 2 * sizeof(double), {}},
      {MPI_C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX", Basic::ComplexLongDouble, 2 * sizeof(long double), {}},
      {MPI_CXX_LONG_DOUBLE_COMPLEX,
       "MPI_CXX_LONG_DOUBLE_COMPLEX",
       Basic::ComplexLongDouble,
       2 * sizeof(long double),
       {}},
      {MPI_C_BOOL, "MPI_C_BOOL", Basic::Bool, 1, {}},
      {MPI_CXX_BOOL, "MPI_CXX_BOOL", Basic::Bool, 1, {}},
      {MPI_LOGICAL, "MPI_LOGICAL", Basic::Logical32, 4, {}},
      {MPI_INTEGER, "MPI_INTEGER", Basic::Int32, 4, {}},
      {MPI_REAL, "MPI_REAL", Basic::Float, 4, {}},
      {MPI_COMPLEX, "MPI_COMPLEX", Basic::ComplexFloat, 8, {}},
      {MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", Basic::Double, 8, {}},
      {MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX", Basic::ComplexDouble, 16, {}},
      {MPI_CHARACTER, "MPI_CHARACTER", Basic::Int8, 1, {}},
      {MPI_LOGICAL1, "MPI_LOGICAL1", Basic::Logical8, 1, {}},
      {MPI_LOGICAL2, "MPI_LOGICAL2", Basic::Logical16, 2, {}},
      {MPI_LOGICAL4, "MPI_LOGICAL4", Basic::Logical32, 4, {}},
      {MPI_LOGICAL8, "MPI_LOGICAL8", Basic::Logical64, 8, {}},
      {MPI_LOGICAL16, "MPI_LOGICAL16", Basic::None, 16, {}},
      {MPI_INTEGER1, "MPI_INTEGER1", Basic::Int8, 1, {}},
      {MPI_INTEGER2, "MPI_INTEGER2", Basic::Int16, 2, {}},
      {MPI_INTEGER4, "MPI_INTEGER4", Basic::Int32, 4, {}},
      {MPI_INTEGER8, "MPI_INTEGER8", Basic::Int64, 8, {}},
      {MPI_INTEGER16, "MPI_INTEGER16", Basic::None, 16, {}},
      {MPI_REAL2, "MPI_REAL2", Basic::None, 2, {}},
      {MPI_REAL4, "MPI_REAL4", Basic::Float, 4, {}},
      {MPI_REAL8, "MPI_REAL8", Basic::Double, 8, {}},
      {MPI_REAL16, "MPI_REAL16", Basic::None, 16, {}},
      {MPI_COMPLEX4, "MPI_COMPLEX4", Basic::None, 4, {}},
      {MPI_COMPLEX8, "MPI_COMPLEX8", Basic::ComplexFloat, 8, {}},
      {MPI_COMPLEX16, "MPI_COMPLEX16", Basic::ComplexDouble, 16, {}},
      {MPI_COMPLEX32, "MPI_COMPLEX32", Basic::None, 32, {}},
      {MPI_2INT, "MPI_2INT", Basic::TwoInt, sizeof(Located<int>), {}},
      {MPI_2INTEGER, "MPI_2INTEGER", Basic::TwoInt, 8, {}},
      {MPI_2REAL, "MPI_2REAL", Basic::TwoFloat, 8, {}},
      {MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", Basic::TwoDouble, 16, {}},
      {MPI_FLOAT_INT, "MPI_FLOAT_INT", Basic::FloatInt, sizeof(Located<float>), {}},
      {MPI_DOUBLE_INT,
       "MPI_DOUBLE_INT",
       Basic::DoubleInt,
       sizeof(Located<double>),
       {{{0, sizeof(double) + sizeof(int)}}}},
      {MPI_LONG_INT, "MPI_LONG_INT", Basic::LongInt, sizeof(Located<long>), {{{0, sizeof(long) + sizeof(int)}}}},
      {MPI_SHORT_INT,
       "MPI_SHORT_INT",
       Basic::ShortInt,
       sizeof(Located<short>),
       {{{0, sizeof(short)}, {offsetof(Located<short>, index), sizeof(int)}}}},
      {MPI_LONG_DOUBLE_INT,
       "MPI_LONG_DOUBLE_INT",
       Basic::LongDoubleInt,
       sizeof(Located<long double>),
       {{{0, sizeof(long double) + sizeof(int)}}}},
  };
  for (const Row& row : rows) {
    const auto handle = reinterpret_cast<std::intptr_t>(row.handle);
    if (handle != wanted) continue;
    std::vector<Segment> segments;
    for (const Segment& segment : row.segments) {
      if (segment.bytes != 0) segments.push_back(segment);
    }
    auto type = std::make_shared<Datatype>(row.name, row.basic, row.extent, std::move(segments));
    type->set_handle(handle);
    return type;
  }
  return nullptr;
}

}  // namespace

void define_predefined_types(HandleTable<Datatype>& table) { table.define_when_asked(made); }

}  // namespace tidings
