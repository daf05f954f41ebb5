// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "check/signature.h"

#include <algorithm>
#include <array>

#include "mpi/checking.h"

namespace tidings::check {
namespace {

/// What a predefined type is made of, by numbers that are equal if two types match; the second is 0 but for pairs.
std::array<std::uint64_t, 2> codes_of(MPI_Datatype type, Basic basic) {
  const auto values = [](Basic first, Basic second = Basic::None) {
    return std::array{static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(second)};
  };
  const auto by_name = [](MPI_Datatype name) {
    return std::array{kBasics + reinterpret_cast<std::uintptr_t>(name), std::uint64_t{0}};
  };
  constexpr Basic kLong = sizeof(long) == sizeof(std::int32_t) ? Basic::Int32 : Basic::Int64;
  // A character is no number of its size.
  if (type == MPI_CHAR || type == MPI_CHARACTER) return by_name(MPI_CHAR);
  if (type == MPI_WCHAR) return by_name(type);
  switch (basic) {
    case Basic::None:
      return by_name(type);
    case Basic::FloatInt:
      return values(Basic::Float, Basic::Int32);
    case Basic::DoubleInt:
      return values(Basic::Double, Basic::Int32);
    case Basic::LongInt:
      return values(kLong, Basic::Int32);
    case Basic::TwoInt:
      return values(Basic::Int32, Basic::Int32);
    case Basic::ShortInt:
      return values(Basic::Int16, Basic::Int32);
    case Basic::LongDoubleInt:
      return values(Basic::LongDouble, Basic::Int32);
    case Basic::TwoFloat:
      return values(Basic::Float, Basic::Float);
    case Basic::TwoDouble:
      return values(Basic::Double, Basic::Double);
    default:
      return values(basic);
  }
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
  const auto visit = [&](MPI_Datatype predefined, const char* name, Basic basic, std::uint64_t number) {
    packed |= predefined == MPI_PACKED;
    const auto [first, second] = codes_of(predefined, basic);
    if (second == 0) add(first, number);
    for (std::uint64_t i = 0; second != 0 && i < number; ++i) {
      add(first, 1);
      add(second, 1);
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
      [](void* subject, MPI_Datatype predefined, const char* name, Basic basic, std::uint64_t number) {
        (*static_cast<const decltype(visit)*>(subject))(predefined, name, basic, number);
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
