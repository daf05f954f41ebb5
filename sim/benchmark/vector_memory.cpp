// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/benchmark/vector_memory.h"

#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace tidings {
namespace {

constexpr std::byte kUntouchedByte{0xA5};
constexpr std::uint32_t kAlignment = 8;

std::uint32_t bytes_of(tidings_pkg::Element element) {
  return element == tidings_pkg::Element::kInt64 || element == tidings_pkg::Element::kDouble ? 8 : 4;
}

/// What a rank contributes, as the sum of a part of its own and one that all ranks have: integers use all of their
/// bits, floating-point numbers are small enough for exact sums.
template <typename T>
struct Contribution {
  static T own(std::uint32_t rank) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(rank);
    return static_cast<T>((T{1} + static_cast<T>(rank)) * kOdd);
  }
  static T common(std::uint32_t half, std::uint32_t index) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(half + index % 1024);
    return static_cast<T>(static_cast<T>(index) * T{0x10001} + static_cast<T>(half));
  }
  static constexpr T kOdd = std::is_floating_point_v<T> ? T{1} : std::numeric_limits<T>::max() / 5 * 2 + 1;
};

/// Calls `use` with a value of the type whose sums the engine computes; signed integers wrap around as unsigned ones
/// do.
template <typename Use>
void with_type(tidings_pkg::Element element, Use&& use) {
  switch (element) {
    case tidings_pkg::Element::kInt32:
      return use(std::uint32_t{});
    case tidings_pkg::Element::kInt64:
      return use(std::uint64_t{});
    case tidings_pkg::Element::kFloat:
      return use(float{});
    case tidings_pkg::Element::kDouble:
      return use(double{});
  }
  throw std::invalid_argument("no such element type: " + std::to_string(static_cast<int>(element)));
}

}  // namespace

VectorMemory::VectorMemory(std::uint32_t ranks, tidings_pkg::Element element, std::uint32_t count, std::uint32_t halves)
    : ranks_(ranks), element_(element), count_(count), halves_(halves) {
  const std::uint64_t bytes = (std::uint64_t{count} * bytes_of(element) + kAlignment - 1) / kAlignment * kAlignment;
  if (2 * bytes * halves > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument("a vector of " + std::to_string(count) + " elements is too long for node memory");
  }
  bytes_ = static_cast<std::uint32_t>(bytes);
  memory_.assign(std::size_t{ranks} * 2 * halves * bytes_, kUntouchedByte);
  with_type(element, [this](auto zero) { fill_with<decltype(zero)>(); });
}

std::span<std::byte> VectorMemory::of(std::uint32_t rank) {
  const std::size_t size = std::size_t{2} * halves_ * bytes_;
  return std::span(memory_).subspan(rank * size, size);
}

void VectorMemory::check(std::uint32_t rank, Content content, std::uint32_t root) const {
  with_type(element_, [&](auto zero) { check_with<decltype(zero)>(rank, content, root); });
}

template <typename T>
void VectorMemory::fill_with() {
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    for (std::uint32_t half = 0; half < halves_; ++half) {
      std::byte* to = of(rank).data() + source(half);
      for (std::uint32_t i = 0; i < count_; ++i) {
        const T value = Contribution<T>::own(rank) + Contribution<T>::common(half, i);
        std::memcpy(to + i * sizeof(T), &value, sizeof(T));
      }
    }
  }
}

template <typename T>
void VectorMemory::check_with(std::uint32_t rank, Content content, std::uint32_t root) const {
  T own_sum{};
  for (std::uint32_t other = 0; other < ranks_; ++other) own_sum += Contribution<T>::own(other);
  T untouched{};
  std::memset(&untouched, std::to_integer<int>(kUntouchedByte), sizeof(T));
  for (std::uint32_t half = 0; half < halves_; ++half) {
    const std::byte* from = memory_.data() + std::size_t{rank} * 2 * halves_ * bytes_ + destination(half);
    for (std::uint32_t i = 0; i < count_; ++i) {
      T got{};
      std::memcpy(&got, from + i * sizeof(T), sizeof(T));
      T expected = untouched;
      if (content == Content::kSum) expected = own_sum + static_cast<T>(ranks_) * Contribution<T>::common(half, i);
      if (content == Content::kVectorOfRoot) expected = Contribution<T>::own(root) + Contribution<T>::common(half, i);
      if (std::memcmp(&got, &expected, sizeof(T)) != 0) {
        throw std::runtime_error("wrong result at rank " + std::to_string(rank) + ", element " + std::to_string(i) +
                                 ": expected " + std::to_string(expected) + ", got " + std::to_string(got));
      }
    }
  }
}

}  // namespace tidings
