// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file node_memory.h
/// Gives out parts of node memory, which engines read and write without the processor.
#include <cstdint>
#include <optional>
#include <vector>

namespace tidings {

class NodeMemory {
 public:
  NodeMemory(std::uint32_t base, std::uint32_t bytes) : base_(base), bytes_(bytes) {}

  /// The first place that is large enough. @param alignment a power of two. @return its address; nothing if there is
  /// none.
  std::optional<std::uint32_t> take(std::uint64_t bytes, std::uint64_t alignment) {
    std::uint64_t free = base_;
    for (auto next = parts_.begin();; ++next) {
      const std::uint64_t place = (free + alignment - 1) / alignment * alignment;
      const std::uint64_t end = next == parts_.end() ? std::uint64_t{base_} + bytes_ : next->address;
      if (place + bytes <= end) {
        parts_.insert(next, {static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(bytes)});
        return static_cast<std::uint32_t>(place);
      }
      if (next == parts_.end()) return std::nullopt;
      free = std::uint64_t{next->address} + next->bytes;
    }
  }
  /// @return false if no part begins there.
  bool give_back(std::uint32_t address) {
    return std::erase_if(parts_, [&](const Part& part) { return part.address == address; }) != 0;
  }

 private:
  struct Part {
    std::uint32_t address;
    std::uint32_t bytes;
  };
  std::uint32_t base_;
  std::uint32_t bytes_;
  std::vector<Part> parts_;  ///< in the order of their addresses
};

}  // namespace tidings
