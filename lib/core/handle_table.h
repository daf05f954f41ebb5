// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file handle_table.h
/// Objects behind handles of the standard ABI, which are small integers in pointer's clothes.
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

namespace tidings {

/// Maps handles to objects. A handle is never used twice, so a stale one is noticed.
template <class Object>
class HandleTable {
 public:
  using Pointer = std::shared_ptr<Object>;

  /// First handle that is not one of the ABI's constants.
  static constexpr std::intptr_t kFirst = 0x1000;

  /// Give `object` a new handle.
  std::intptr_t add(Pointer object) {
    objects_.emplace(next_, std::move(object));
    return next_++;
  }

  /// Put an object behind one of the ABI's constants.
  void define(std::intptr_t handle, Pointer object) { objects_.emplace(handle, std::move(object)); }

  /// The object, or nothing where the handle is not (or no longer) valid.
  [[nodiscard]] Pointer find(std::intptr_t handle) const {
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }

  void remove(std::intptr_t handle) { objects_.erase(handle); }

 private:
  std::unordered_map<std::intptr_t, Pointer> objects_;
  std::intptr_t next_ = kFirst;
};

}  // namespace tidings
