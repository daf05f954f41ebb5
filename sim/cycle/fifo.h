// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file fifo.h
/// Twin of rtl/common/fifo.sv. Look first, then push and pop: both act as the clock edge does.
#include <cstdint>
#include <vector>

namespace tidings::cycle {

/// First-in first-out buffer. A word pushed in cycle t is at the front in cycle t + 1.
template <typename T>
class Fifo {
 public:
  /// @param depth a power of two.
  explicit Fifo(std::uint32_t depth) : words_(depth), mask_(depth - 1) {}

  [[nodiscard]] bool empty() const { return write_ == read_; }
  [[nodiscard]] bool full() const { return count() == mask_ + 1; }
  [[nodiscard]] std::uint32_t count() const { return write_ - read_; }
  [[nodiscard]] std::uint32_t room() const { return mask_ + 1 - count(); }
  /// The oldest word; any value while empty.
  [[nodiscard]] const T& front() const { return words_[read_ & mask_]; }

  /// The oldest word but this many.
  [[nodiscard]] const T& operator[](std::uint32_t number) const { return words_[(read_ + number) & mask_]; }

  /// In a cycle with both, pop before push: a full buffer takes a word when it gives one.
  void pop() { ++read_; }
  void pop(std::uint32_t words) { read_ += words; }
  void push(const T& word) { words_[write_++ & mask_] = word; }

 private:
  std::vector<T> words_;
  std::uint32_t mask_;
  std::uint32_t write_ = 0;  ///< counts of words, modulo 2^32
  std::uint32_t read_ = 0;
};

}  // namespace tidings::cycle
