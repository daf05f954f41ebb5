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
template <class Object>
class Reused {
 public:
  /// An object that nobody else holds, as its last holder left it.
  [[nodiscard]] std::shared_ptr<Object> take() {
    for (const auto& object : all_) {
      if (object.use_count() == 1) return object;
    }
    auto made = std::make_shared<Object>();
    if (all_.size() < kMost) all_.push_back(made);
    return made;
  }

 private:
  static constexpr std::size_t kMost = 8;  ///< more are under way at once only in programs that overlap many calls
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

}  // namespace tidings
