// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/operation.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/error.h"
#include "core/located.h"
#include "cost.h"

namespace tidings {
namespace {

template <class T>
struct Is {
  static constexpr bool kComplex = false;
  static constexpr bool kLocated = false;
};
template <class T>
struct Is<std::complex<T>> {
  static constexpr bool kComplex = true;
  static constexpr bool kLocated = false;
};
template <class T, class I>
struct Is<Located<T, I>> {
  static constexpr bool kComplex = false;
  static constexpr bool kLocated = true;
};

/// A Fortran LOGICAL: an integer that only knows true and false.
template <class T>
struct Logical {
  T value;
};

/// Call visit.template operator()<T>() with the C++ type of `basic`, `other()` if it has none.
template <class Visit, class Other>
auto with_type(Basic basic, Visit visit, Other other) {
  switch (basic) {
    case Basic::Byte:
      return visit.template operator()<std::byte>();
    case Basic::Int8:
      return visit.template operator()<std::int8_t>();
    case Basic::Uint8:
      return visit.template operator()<std::uint8_t>();
    case Basic::Int16:
      return visit.template operator()<std::int16_t>();
    case Basic::Uint16:
      return visit.template operator()<std::uint16_t>();
    case Basic::Int32:
      return visit.template operator()<std::int32_t>();
    case Basic::Uint32:
      return visit.template operator()<std::uint32_t>();
    case Basic::Int64:
      return visit.template operator()<std::int64_t>();
    case Basic::Uint64:
      return visit.template operator()<std::uint64_t>();
    case Basic::Float:
      return visit.template operator()<float>();
    case Basic::Double:
      return visit.template operator()<double>();
    case Basic::LongDouble:
      return visit.template operator()<long double>();
    case Basic::ComplexFloat:
      return visit.template operator()<std::complex<float>>();
    case Basic::ComplexDouble:
      return visit.template operator()<std::complex<double>>();
    case Basic::ComplexLongDouble:
      return visit.template operator()<std::complex<long double>>();
    case Basic::Bool:
      return visit.template operator()<bool>();
    case Basic::Logical8:
      return visit.template operator()<Logical<std::int8_t>>();
    case Basic::Logical16:
      return visit.template operator()<Logical<std::int16_t>>();
    case Basic::Logical32:
      return visit.template operator()<Logical<std::int32_t>>();
    case Basic::Logical64:
      return visit.template operator()<Logical<std::int64_t>>();
    case Basic::FloatInt:
      return visit.template operator()<Located<float>>();
    case Basic::DoubleInt:
      return visit.template operator()<Located<double>>();
    case Basic::LongInt:
      return visit.template operator()<Located<long>>();
    case Basic::TwoInt:
      return visit.template operator()<Located<int>>();
    case Basic::ShortInt:
      return visit.template operator()<Located<short>>();
    case Basic::LongDoubleInt:
      return visit.template operator()<Located<long double>>();
    case Basic::TwoFloat:
      return visit.template operator()<Located<float, float>>();
    case Basic::TwoDouble:
      return visit.template operator()<Located<double, double>>();
    case Basic::None:
      break;
  }
  return other();
}

template <class T>
constexpr bool kInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
constexpr bool kReal = kInteger<T> || std::is_floating_point_v<T>;
template <class T>
constexpr bool kBits = kInteger<T> || std::is_same_v<T, std::byte>;

/// The operation is defined on elements of C++ type T (MPI 5.0, section 6.9.2).
template <class T>
constexpr bool defined_on(Combine combine) {
  switch (combine) {
    case Combine::Sum:
    case Combine::Product:
      return kReal<T> || Is<T>::kComplex;
    case Combine::Min:
    case Combine::Max:
      return kReal<T>;
    case Combine::And:
    case Combine::Or:
    case Combine::Xor:
      return kBits<T>;
    case Combine::LogicalAnd:
    case Combine::LogicalOr:
    case Combine::LogicalXor:
      return kInteger<T> || std::is_same_v<T, bool> ||
             (!kReal<T> && !Is<T>::kComplex && !Is<T>::kLocated && !std::is_same_v<T, std::byte>);
    case Combine::MinLoc:
    case Combine::MaxLoc:
      return Is<T>::kLocated;
    case Combine::Replace:
    case Combine::NoOp:
      return true;
    case Combine::User:
      return false;
  }
  return false;
}

template <class T>
bool truth(const T& value) {
  if constexpr (std::is_integral_v<T>) {
    return value != 0;
  } else {
    return value.value != 0;
  }
}

template <class T>
T from_truth(bool value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(value);
  } else {
    return T{static_cast<decltype(T::value)>(value)};
  }
}

/// Integers wrap around: computed as unsigned, at least as wide as unsigned int.
template <class T>
using Unsigned = std::common_type_t<unsigned, std::make_unsigned_t<T>>;

template <class T>
T combined(Combine kind, const T& a, const T& b) {
  if constexpr (kInteger<T>) {
    using U = Unsigned<T>;
    if (kind == Combine::Sum) return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    if (kind == Combine::Product) return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  } else if constexpr (kReal<T> || Is<T>::kComplex) {
    if (kind == Combine::Sum) return a + b;
    if (kind == Combine::Product) return a * b;
  }
  if constexpr (kReal<T>) {
    if (kind == Combine::Min) return std::min(a, b);
    if (kind == Combine::Max) return std::max(a, b);
  }
  if constexpr (kBits<T>) {
    if (kind == Combine::And) return static_cast<T>(a & b);
    if (kind == Combine::Or) return static_cast<T>(a | b);
    if (kind == Combine::Xor) return static_cast<T>(a ^ b);
  }
  if constexpr (defined_on<T>(Combine::LogicalAnd)) {
    if (kind == Combine::LogicalAnd) return from_truth<T>(truth(a) && truth(b));
    if (kind == Combine::LogicalOr) return from_truth<T>(truth(a) || truth(b));
    if (kind == Combine::LogicalXor) return from_truth<T>(truth(a) != truth(b));
  }
  if constexpr (Is<T>::kLocated) {
    if (a.value == b.value) return a.index <= b.index ? a : b;
    if (kind == Combine::MinLoc) return a.value < b.value ? a : b;
    if (kind == Combine::MaxLoc) return b.value < a.value ? a : b;
  }
  return kind == Combine::Replace ? a : b;
}

}  // namespace

Operation::Operation(std::string name, Combine combine, std::uint8_t code)
    : name_(std::move(name)), combine_(combine), code_(code), accepted_(0) {
  for (unsigned basic = 0; basic < kBasics; ++basic) {
    const bool defined = with_type(
        static_cast<Basic>(basic), [combine]<class T>() { return defined_on<T>(combine); }, [] { return false; });
    accepted_ |= std::uint64_t{defined} << basic;
  }
}

void Operation::apply(const void* in, void* inout, std::size_t count, const Datatype& type) const {
  tidings_work(TIDINGS_WORK_REDUCE, count);
  if (combine_ == Combine::User) {
    auto handle = reinterpret_cast<MPI_Datatype>(type.handle());
    if (function_x_ != nullptr) {
      function_x_(const_cast<void*>(in), inout, static_cast<MPI_Count>(count), handle, state_);
      return;
    }
    if (function_c_ != nullptr) {
      auto length = static_cast<MPI_Count>(count);
      function_c_(const_cast<void*>(in), inout, &length, &handle);
      return;
    }
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<int>::max());
    const auto* from = static_cast<const std::byte*>(in);
    auto* to = static_cast<std::byte*>(inout);
    for (std::size_t done = 0; done < count;) {
      const std::size_t step = std::min(count - done, kMost);
      auto length = static_cast<int>(step);
      const std::ptrdiff_t offset = static_cast<std::ptrdiff_t>(done) * type.extent();
      function_(const_cast<std::byte*>(from + offset), to + offset, &length, &handle);
      done += step;
    }
    return;
  }
  with_type(
      type.basic(),
      [&]<class T>() {
        const auto* a = static_cast<const T*>(in);
        auto* b = static_cast<T*>(inout);
        for (std::size_t i = 0; i < count; ++i) b[i] = combined<T>(combine_, a[i], b[i]);
      },
      [] {});
}

void check_reduction(const Operation& operation, const Datatype& type) {
  if (operation.accepts(type)) return;
  throw Error(MPI_ERR_OP, operation.name() + " is not defined on " +
                              (type.predefined() ? type.name() : std::string("derived datatypes")));
}

namespace {

std::shared_ptr<const Operation> made(std::intptr_t wanted) {
  struct Row {
    MPI_Op handle;
    const char* name;
    Combine combine;
  };
  static const Row rows[] = {
      {MPI_SUM, "MPI_SUM", Combine::Sum},
      {MPI_MIN, "MPI_MIN", Combine::Min},
      {MPI_MAX, "MPI_MAX", Combine::Max},
      {MPI_PROD, "MPI_PROD", Combine::Product},
      {MPI_BAND, "MPI_BAND", Combine::And},
      {MPI_BOR, "MPI_BOR", Combine::Or},
      {MPI_BXOR, "MPI_BXOR", Combine::Xor},
      {MPI_LAND, "MPI_LAND", Combine::LogicalAnd},
      {MPI_LOR, "MPI_LOR", Combine::LogicalOr},
      {MPI_LXOR, "MPI_LXOR", Combine::LogicalXor},
      {MPI_MINLOC, "MPI_MINLOC", Combine::MinLoc},
      {MPI_MAXLOC, "MPI_MAXLOC", Combine::MaxLoc},
      {MPI_REPLACE, "MPI_REPLACE", Combine::Replace},
      {MPI_NO_OP, "MPI_NO_OP", Combine::NoOp},
  };
  for (const Row& row : rows) {
    if (reinterpret_cast<std::intptr_t>(row.handle) != wanted) continue;
    return std::make_shared<Operation>(row.name, row.combine, static_cast<std::uint8_t>(wanted));
  }
  return nullptr;
}

}  // namespace

void define_predefined_operations(HandleTable<const Operation>& table) { table.define_when_asked(made); }

}  // namespace tidings
