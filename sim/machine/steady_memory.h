// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file steady_memory.h
/// The memory of a slot while cycles are stepped at once (Fabric::step_steadily).
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/machine/node_memory.h"
#include "sim/machine/types.h"

namespace tidings {

class SteadyMemory {
 public:
  /// A word on its way from the memory.
  struct Answer {
    Cycle cycle;
    std::uint32_t data;
  };

  SteadyMemory(NodeMemory& memory, std::uint32_t latency) : memory_(&memory), latency_(latency) {}

  /// A word is under way, behind those that are.
  void add(const Answer& answer) { answers_.push_back(answer); }
  void clear() {
    answers_.clear();
    taken_ = 0;
  }

  [[nodiscard]] bool empty() const { return taken_ == answers_.size(); }
  /// Words under way, in order.
  [[nodiscard]] std::size_t size() const { return answers_.size() - taken_; }
  [[nodiscard]] const Answer& operator[](std::size_t i) const { return answers_[taken_ + i]; }
  /// The oldest word under way is due in `cycle`: it is taken then.
  [[nodiscard]] bool due(Cycle cycle) const { return !empty() && answers_[taken_].cycle == cycle; }
  std::uint32_t take() { return answers_[taken_++].data; }

  /// All words from an address on are in the memory.
  [[nodiscard]] bool holds(std::uint32_t address, std::uint64_t bytes) const { return memory_->holds(address, bytes); }
  /// A read or write is shown in `cycle`.
  void read(std::uint32_t address, Cycle cycle) { add({.cycle = cycle + latency_, .data = memory_->read(address)}); }
  void write(const MemoryWrite& write) { memory_->write(write); }

 private:
  NodeMemory* memory_;
  std::uint32_t latency_;
  std::vector<Answer> answers_;
  std::size_t taken_ = 0;
};

}  // namespace tidings
