// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file memory_port.h
/// The memory of a slot with what is on its way from there.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sim/machine/node_memory.h"
#include "sim/machine/queue.h"
#include "sim/machine/types.h"

namespace tidings {

class MemoryPort {
 public:
  /// A word on its way from the memory.
  struct Answer {
    Cycle cycle;
    std::uint32_t data;
  };

  MemoryPort(Endpoint endpoint, std::uint32_t latency) : memory_(endpoint), latency_(latency) {}

  void attach(std::span<std::byte> bytes) { memory_.attach(bytes); }

  /// As NodeMemory::hold and NodeMemory::release.
  void hold(const std::function<void(Endpoint)>& wait) { memory_.hold(wait); }
  void release() { memory_.release(); }

  [[nodiscard]] bool empty() const { return answers_.empty(); }
  /// Words under way, in order.
  [[nodiscard]] std::size_t size() const { return answers_.pushed() - answers_.popped(); }
  [[nodiscard]] const Answer& operator[](std::size_t i) const { return answers_[answers_.popped() + i]; }
  /// The oldest word under way is due in `cycle`: it is taken then.
  [[nodiscard]] bool due(Cycle cycle) const { return !empty() && answers_.front().cycle == cycle; }
  /// When it is due. There is one.
  [[nodiscard]] Cycle next() const { return answers_.front().cycle; }
  std::uint32_t take() {
    const std::uint32_t data = answers_.front().data;
    answers_.pop();
    if (answers_.empty()) answers_.rewind();
    return data;
  }

  /// Take the words that are due by `last`: calls `use(word)` for each. @return how many.
  template <typename Use>
  std::uint32_t take_until(Cycle last, Use&& use) {
    std::uint32_t words = 0;
    for (; !empty() && next() <= last; ++words) use(take());
    return words;
  }

  /// All words from an address on are in the memory.
  [[nodiscard]] bool holds(std::uint32_t address, std::uint64_t bytes) const { return memory_.holds(address, bytes); }
  /// A read or write is shown in `cycle`. A read sees the writes of earlier cycles.
  /// @throws MemoryAccessError outside the memory.
  void read(std::uint32_t address, Cycle cycle) {
    answers_.reserve(1);
    answers_.push({.cycle = cycle + latency_, .data = memory_.read(address)});
  }
  void write(const MemoryWrite& write) { memory_.write(write); }
  /// The same of words one after another: reads are shown from `first` on, one per cycle.
  void read(std::uint32_t address, std::uint32_t words, Cycle first) {
    answers_.reserve(words);
    Queue<Answer>::Pusher answers(answers_);
    for (std::uint32_t i = 0; i < words; ++i)
      answers.push({.cycle = first + (latency_ + i), .data = memory_.read(address + NodeMemory::kWordBytes * i)});
    answers.end(answers_);
  }
  /// Whole words, at least one.
  void write(std::uint32_t address, std::span<const std::uint32_t> words) { memory_.write(address, words); }

 private:
  NodeMemory memory_;
  std::uint32_t latency_;
  Queue<Answer> answers_;
};

}  // namespace tidings
