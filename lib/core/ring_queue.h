// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file ring_queue.h
/// A queue that allocates only while it grows.
#include <cstddef>
#include <utility>
#include <vector>

namespace tidings {

template <class Item>
class RingQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Item& front() { return items_[first_]; }

  void push_back(Item item) {
    if (size_ == items_.size()) grow();
    items_[(first_ + size_++) & (items_.size() - 1)] = std::move(item);
  }
  Item pop_front() {
    Item item = std::move(items_[first_]);
    first_ = (first_ + 1) & (items_.size() - 1);
    --size_;
    return item;
  }

 private:
  void grow() {
    constexpr std::size_t kLeast = 4;
    std::vector<Item> items(items_.empty() ? kLeast : 2 * items_.size());
    for (std::size_t i = 0; i < size_; ++i) items[i] = std::move(items_[(first_ + i) & (items_.size() - 1)]);
    items_ = std::move(items);
    first_ = 0;
  }

  std::vector<Item> items_;  ///< a power of two, or none
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tidings
