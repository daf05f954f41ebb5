// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file zeroed_array.h
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace tidings {

/// Entries whose bytes are all zero at first. Large arrays take memory and time only where they are used: the system
/// has zeros for a page that is touched for the first time.
template <typename T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  /// @throws std::bad_alloc
  explicit ZeroedArray(std::size_t entries) : entries_(static_cast<T*>(std::calloc(entries, sizeof(T)))) {
    if (!entries_ && entries != 0) throw std::bad_alloc();
  }

  [[nodiscard]] T& operator[](std::size_t i) { return entries_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return entries_[i]; }

 private:
  struct Free {
    void operator()(T* entries) const { std::free(entries); }
  };
  std::unique_ptr<T[], Free> entries_;
};

}  // namespace tidings
