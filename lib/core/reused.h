// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file reused.h
/// Memory that calls of the same kind use again.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tidings {

/// Objects that are used again as soon as nobody holds them, so that not each call allocates its own.
/// @tparam Most how many are kept: more are under way at once only in programs that overlap many calls.
template <class Object, std::size_t Most = 8>
class Reused {
 public:
  /// An object that nobody else holds, as its last holder left it.
  [[nodiscard]] std::shared_ptr<Object> take() {
    for (const auto& object : all_) {
      if (object.use_count() == 1) return object;
    }
    auto made = std::make_shared<Object>();
    if (all_.size() < Most) all_.push_back(made);
    return made;
  }

 private:
  std::vector<std::shared_ptr<Object>> all_;
};

/// Sizes and places of blocks.
struct BlockArrays {
  std::vector<std::size_t> counts;
  std::vector<std::ptrdiff_t> displacements;

  void clear() {
    counts.clear();
    displacements.clear();
  }
};

/// Arrays of bytes whose memory is used again.
class ScratchArrays {
 public:
  /// An array of as many bytes, for as long as the pointer lives. What is in it is not said.
  [[nodiscard]] std::shared_ptr<std::vector<std::byte>> take(std::size_t bytes) {
    if (bytes > kMostKept) return std::make_shared<std::vector<std::byte>>(bytes);
    auto array = arrays_.take();
    array->resize(bytes);
    return array;
  }

 private:
  static constexpr std::size_t kMostKept = 64 * 1024;  ///< bytes; filling more takes longer than an allocation
  Reused<std::vector<std::byte>, 64> arrays_;
};

}  // namespace tidings
