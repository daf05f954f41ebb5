// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "check/signature.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "mpi/checking.h"

namespace tidings::check {
namespace {

/// Kinds of basic types. Two types of one kind and one size match.
enum class Value : std::uint8_t { Other, Packed, Byte, Character, Signed, Unsigned, Float, Complex, Bool, Logical };

Value value_of(MPI_Datatype type) {
  static const struct {
    MPI_Datatype type;
    Value value;
  } rows[] = {
      {MPI_PACKED, Value::Packed},
      {MPI_BYTE, Value::Byte},
      {MPI_CHAR, Value::Character},
      {MPI_CHARACTER, Value::Character},
      {MPI_SIGNED_CHAR, Value::Signed},
      {MPI_SHORT, Value::Signed},
      {MPI_INT, Value::Signed},
      {MPI_LONG, Value::Signed},
      {MPI_LONG_LONG, Value::Signed},
      {MPI_INT8_T, Value::Signed},
      {MPI_INT16_T, Value::Signed},
      {MPI_INT32_T, Value::Signed},
      {MPI_INT64_T, Value::Signed},
      {MPI_AINT, Value::Signed},
      {MPI_COUNT, Value::Signed},
      {MPI_OFFSET, Value::Signed},
      {MPI_INTEGER, Value::Signed},
      {MPI_INTEGER1, Value::Signed},
      {MPI_INTEGER2, Value::Signed},
      {MPI_INTEGER4, Value::Signed},
      {MPI_INTEGER8, Value::Signed},
      {MPI_INTEGER16, Value::Signed},
      {MPI_UNSIGNED_CHAR, Value::Unsigned},
      {MPI_UNSIGNED_SHORT, Value::Unsigned},
      {MPI_UNSIGNED, Value::Unsigned},
      {MPI_UNSIGNED_LONG, Value::Unsigned},
      {MPI_UNSIGNED_LONG_LONG, Value::Unsigned},
      {MPI_UINT8_T, Value::Unsigned},
      {MPI_UINT16_T, Value::Unsigned},
      {MPI_UINT32_T, Value::Unsigned},
      {MPI_UINT64_T, Value::Unsigned},
      {MPI_FLOAT, Value::Float},
      {MPI_DOUBLE, Value::Float},
      {MPI_LONG_DOUBLE, Value::Float},
      {MPI_REAL, Value::Float},
      {MPI_DOUBLE_PRECISION, Value::Float},
      {MPI_REAL2, Value::Float},
      {MPI_REAL4, Value::Float},
      {MPI_REAL8, Value::Float},
      {MPI_REAL16, Value::Float},
      {MPI_C_FLOAT_COMPLEX, Value::Complex},
      {MPI_C_DOUBLE_COMPLEX, Value::Complex},
      {MPI_C_LONG_DOUBLE_COMPLEX, Value::Complex},
      {MPI_CXX_FLOAT_COMPLEX, Value::Complex},
      {MPI_CXX_DOUBLE_COMPLEX, Value::Complex},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, Value::Complex},
      {MPI_COMPLEX, Value::Complex},
      {MPI_DOUBLE_COMPLEX, Value::Complex},
      {MPI_COMPLEX4, Value::Complex},
      {MPI_COMPLEX8, Value::Complex},
      {MPI_COMPLEX16, Value::Complex},
      {MPI_COMPLEX32, Value::Complex},
      {MPI_C_BOOL, Value::Bool},
      {MPI_CXX_BOOL, Value::Bool},
      {MPI_LOGICAL, Value::Logical},
      {MPI_LOGICAL1, Value::Logical},
      {MPI_LOGICAL2, Value::Logical},
      {MPI_LOGICAL4, Value::Logical},
      {MPI_LOGICAL8, Value::Logical},
      {MPI_LOGICAL16, Value::Logical},
  };
  const auto* const found = std::ranges::find(rows, type, [](const auto& row) { return row.type; });
  return found == std::end(rows) ? Value::Other : found->value;
}

/// The standard says which types a pair is made of.
struct Pair {
  MPI_Datatype type;
  MPI_Datatype first, second;
  std::size_t first_bytes, second_bytes;
};

const Pair* pair_of(MPI_Datatype type) {
  static const Pair rows[] = {
      {MPI_FLOAT_INT, MPI_FLOAT, MPI_INT, sizeof(float), sizeof(int)},
      {MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT, sizeof(double), sizeof(int)},
      {MPI_LONG_INT, MPI_LONG, MPI_INT, sizeof(long), sizeof(int)},
      {MPI_SHORT_INT, MPI_SHORT, MPI_INT, sizeof(short), sizeof(int)},
      {MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT, sizeof(long double), sizeof(int)},
      {MPI_2INT, MPI_INT, MPI_INT, sizeof(int), sizeof(int)},
      {MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER, sizeof(int), sizeof(int)},
      {MPI_2REAL, MPI_REAL, MPI_REAL, sizeof(float), sizeof(float)},
      {MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, sizeof(double), sizeof(double)},
  };
  const auto* const found = std::ranges::find(rows, type, [](const Pair& row) { return row.type; });
  return found == std::end(rows) ? nullptr : found;
}

std::uint64_t code_of(MPI_Datatype type, std::size_t bytes) {
  return (std::uint64_t{bytes} << 8 | static_cast<std::uint64_t>(value_of(type))) + 1;
}

/// A hash of a sequence, with what the hash of all before it is multiplied by when the sequence follows.
struct Hash {
  std::uint64_t sum = 0;
  std::uint64_t shift = 1;
  [[nodiscard]] Hash then(const Hash& next) const { return {sum * next.shift + next.sum, shift * next.shift}; }
};

/// The same sequence, again and again.
Hash repeated(Hash one, std::uint64_t count) {
  Hash result;
  for (; count != 0; count >>= 1, one = one.then(one)) {
    if ((count & 1) != 0) result = result.then(one);
  }
  return result;
}

Hash hash_of_element(std::uint64_t code) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15ULL;
  std::uint64_t mixed = code * 0xbf58476d1ce4e5b9ULL;
  mixed ^= mixed >> 29;
  return {mixed, kFactor};
}

}  // namespace

Signature::Signature(MPI_Count count, MPI_Datatype type) {
  bool packed = false;
  const auto add = [&](std::uint64_t code, std::uint64_t number) {
    each_ += number;
    if (!runs_.empty() && runs_.back().code == code)
      runs_.back().count += number;
    else
      runs_.push_back({code, number});
  };
  struct Names {
    std::string text;
    std::string last;
    std::uint64_t number = 0;
    int named = 0;
    void finish() {
      constexpr int kMost = 3;
      if (number == 0 || named > kMost) return;
      const std::string one = number == 1 ? last : std::to_string(number) + " " + last;
      text += (named == 0 ? "" : ", ") + (named == kMost ? "..." : one);
      ++named;
    }
  } names;
  const auto visit = [&](MPI_Datatype basic, const char* name, std::uint64_t number, std::size_t bytes) {
    packed |= basic == MPI_PACKED;
    if (const Pair* const pair = pair_of(basic); pair != nullptr) {
      for (std::uint64_t i = 0; i < number; ++i) {
        add(code_of(pair->first, pair->first_bytes), 1);
        add(code_of(pair->second, pair->second_bytes), 1);
      }
    } else {
      add(code_of(basic, bytes), number);
    }
    if (names.last != name) {
      names.finish();
      names.last = name;
      names.number = 0;
    }
    names.number += number;
  };
  tidings_mpi_visit_signature(
      type,
      [](void* subject, MPI_Datatype basic, const char* name, std::uint64_t number, std::size_t bytes) {
        (*static_cast<const decltype(visit)*>(subject))(basic, name, number, bytes);
      },
      const_cast<void*>(static_cast<const void*>(&visit)));
  // Of elements of one type, nobody wants to know how many make a larger one.
  if (names.named == 0) names.number = std::min<std::uint64_t>(names.number, 1);
  names.finish();
  text_ = names.text.empty() ? "nothing" : names.text;
  elements_ = packed ? kAnything : each_ * static_cast<std::uint64_t>(count);
}

std::uint64_t Signature::hash(std::uint64_t elements) const {
  if (elements == 0 || each_ == 0) return 0;
  Hash one;
  for (const Run& run : runs_) one = one.then(repeated(hash_of_element(run.code), run.count));
  Hash all = repeated(one, elements / each_);
  std::uint64_t left = elements % each_;
  for (const Run& run : runs_) {
    const std::uint64_t number = std::min(left, run.count);
    all = all.then(repeated(hash_of_element(run.code), number));
    left -= number;
  }
  return all.sum;
}

}  // namespace tidings::check
