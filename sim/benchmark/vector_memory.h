// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file vector_memory.h
/// Node memories with vectors whose sums are known.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/benchmark/slot_commands.h"

namespace tidings {

/// Each rank has a source and a destination, twice: consecutive vectors of a stream differ and lie in different halves.
/// Sums of all ranks' sources are exact in each element type.
class VectorMemory {
 public:
  static constexpr std::uint32_t kHalves = 2;

  /// @param count elements of a vector. @param halves 1 or kHalves.
  VectorMemory(std::uint32_t ranks, tidings_pkg::Element element, std::uint32_t count, std::uint32_t halves);

  [[nodiscard]] std::span<std::byte> of(std::uint32_t rank);
  /// Byte addresses in a rank's memory.
  [[nodiscard]] std::uint32_t source(std::uint32_t half) const { return 2 * half * bytes_; }
  [[nodiscard]] std::uint32_t destination(std::uint32_t half) const { return (2 * half + 1) * bytes_; }

  enum class Content { kUntouched, kSum, kVectorOfRoot };
  /// Compare all of a rank's destinations with what must be there.
  /// @throws std::runtime_error naming the first element that is wrong.
  void check(std::uint32_t rank, Content content, std::uint32_t root) const;

 private:
  template <typename T>
  void fill_with();
  template <typename T>
  void check_with(std::uint32_t rank, Content content, std::uint32_t root) const;

  std::uint32_t ranks_;
  tidings_pkg::Element element_;
  std::uint32_t count_;
  std::uint32_t halves_;
  std::uint32_t bytes_;  ///< of a vector, and what is left to the next multiple of eight
  std::vector<std::byte> memory_;
};

}  // namespace tidings
