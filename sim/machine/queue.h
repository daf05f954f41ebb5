// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file queue.h
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace tidings {

/// First-in first-out buffer that grows on demand.
template <typename T>
class Queue {
 public:
  [[nodiscard]] bool empty() const { return write_ == read_; }
  [[nodiscard]] std::uint64_t pushed() const { return write_; }
  [[nodiscard]] std::uint64_t popped() const { return read_; }
  [[nodiscard]] const T& operator[](std::uint64_t number) const { return entries_[number & mask_]; }
  [[nodiscard]] const T& front() const { return entries_[read_ & mask_]; }
  [[nodiscard]] const T& back() const { return entries_[(write_ - 1) & mask_]; }
  [[nodiscard]] T& back() { return entries_[(write_ - 1) & mask_]; }

  /// Make room for more entries.
  void reserve(std::uint64_t entries) {
    if (write_ - read_ + entries > entries_.size()) [[unlikely]]
      grow(entries);
  }
  /// There must be room.
  void push(const T& entry) { entries_[write_++ & mask_] = entry; }
  void pop() { ++read_; }
  /// Count from 0 again. The queue is empty.
  void rewind() { write_ = read_ = 0; }

  /// Pushes entries of one caller, who alone uses the queue until `end`. Faster, as what it needs stays in registers.
  class Pusher {
   public:
    explicit Pusher(Queue& queue) : entries_(queue.entries_.data()), mask_(queue.mask_), write_(queue.write_) {}
    /// There must be room.
    void push(const T& entry) { entries_[write_++ & mask_] = entry; }
    void end(Queue& queue) const { queue.write_ = write_; }

   private:
    T* entries_;
    std::uint64_t mask_;
    std::uint64_t write_;
  };
  /// All entries of another one, behind those that are here.
  void take_over(Queue& other) {
    reserve(other.write_ - other.read_);
    other.pop_until(other.write_, [this](const T& entry) { push(entry); });
  }
  /// Look at all from entry number `begin` to before number `end`, oldest first. They are here.
  template <typename Look>
  void look(std::uint64_t begin, std::uint64_t end, Look&& look) const {
    const T* const entries = entries_.data();
    const std::uint64_t mask = mask_;
    for (std::uint64_t i = begin; i != end; ++i) look(entries[i & mask]);
  }
  /// Take all up to entry number `end`, oldest first.
  template <typename Take>
  void pop_until(std::uint64_t end, Take&& take) {
    const T* const entries = entries_.data();
    const std::uint64_t mask = mask_;
    for (std::uint64_t i = read_; i != end; ++i) take(entries[i & mask]);
    read_ = end;
  }

 private:
  [[gnu::noinline]] void grow(std::uint64_t entries) {
    std::vector<T> larger(std::bit_ceil(write_ - read_ + entries));
    for (std::uint64_t i = read_; i != write_; ++i) larger[i & (larger.size() - 1)] = entries_[i & mask_];
    entries_ = std::move(larger);
    mask_ = entries_.size() - 1;
  }

  std::vector<T> entries_;
  std::uint64_t mask_ = 0;
  std::uint64_t write_ = 0;  ///< counts of entries
  std::uint64_t read_ = 0;
};

}  // namespace tidings
