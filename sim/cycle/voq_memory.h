// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file voq_memory.h
/// Twin of rtl/network/voq_memory.sv: several queues in one memory. Look first, then pop and push.
#include <cstdint>
#include <vector>

#include "sim/cycle/input_channel.h"

namespace tidings::cycle {

/// Up to 64 first-in first-out queues of words that share their places.
template <typename T = BufferedWord>
class VoqMemory {
 public:
  VoqMemory(std::uint32_t queues, std::uint32_t depth) : places_(depth), ends_(queues) {
    for (std::uint32_t place = 0; place < depth; ++place) places_[place].next = place + 1;
  }

  /// Queues with a word, one bit each.
  [[nodiscard]] std::uint64_t waiting() const { return waiting_; }
  /// Words stored, in all queues.
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// The oldest word of a queue that has one.
  [[nodiscard]] const T& front(unsigned queue) const { return places_[ends_[queue].head].word; }

  /// In a cycle with both, pop before push: a full memory takes a word when it gives one.
  void pop(unsigned queue) {
    Ends& ends = ends_[queue];
    const std::uint32_t place = ends.head;
    if (place == ends.tail) waiting_ &= ~(std::uint64_t{1} << queue);
    ends.head = places_[place].next;
    places_[place].next = free_;
    free_ = place;
    --count_;
  }
  void push(unsigned queue, const T& word) {
    const std::uint32_t place = free_;
    free_ = places_[place].next;
    places_[place].word = word;
    Ends& ends = ends_[queue];
    if ((waiting_ >> queue & 1U) != 0) {
      places_[ends.tail].next = place;
    } else {
      ends.head = place;
    }
    ends.tail = place;
    waiting_ |= std::uint64_t{1} << queue;
    ++count_;
  }

 private:
  struct Place {
    T word;
    std::uint32_t next = 0;  ///< the place behind it, in a queue or among the free ones
  };
  struct Ends {
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
  };

  std::vector<Place> places_;
  std::vector<Ends> ends_;
  std::uint64_t waiting_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t free_ = 0;
};

}  // namespace tidings::cycle
