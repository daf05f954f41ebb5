// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file segment.h
/// The simulator's end of the memory that it shares with one rank.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "drivers/device.h"
#include "sim/machine/types.h"
#include "sim/runtime/channel.h"
#include "sim/runtime/file_descriptor.h"

namespace tidings {

/// What a rank is told about itself and its machine.
struct SegmentContents {
  std::uint32_t rank = 0;
  std::string machine;
  std::span<const Endpoint> endpoints;  ///< of all ranks
  tidings_grid grid{};
  std::size_t memory_bytes = 0;
  bool hardware_collectives = false;
  tidings_costs costs{};
  std::uint64_t time_limit_ps = 0;
};

/// Channel and node memory of one rank; anonymous, gone with its last user.
class Segment {
 public:
  explicit Segment(const SegmentContents& contents);
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&&) = delete;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  [[nodiscard]] tidings_channel& channel() const { return *channel_; }
  /// Node memory; engine address 0 is its first byte.
  [[nodiscard]] std::span<std::byte> memory() const;
  /// The ranks that could end this rank's wait, as it said itself.
  [[nodiscard]] std::vector<std::uint32_t> waiting_ranks() const;

  /// For the rank to inherit. Closed by close_file once the rank has started.
  [[nodiscard]] int file() const { return file_.get(); }
  void close_file() { file_.close(); }

  [[nodiscard]] tidings_turn turn() const;
  /// Let the rank go on. Nothing happens where its process has ended.
  void give_turn();
  /// The process is gone; wakes whoever waits for the turn.
  void mark_ended();
  /// Sleep until it is not the rank's turn. @return false where that took longer than `patience`, or a signal came.
  [[nodiscard]] bool wait_for_turn(std::chrono::milliseconds patience) const;
  /// For the process of the rank before it has a program: sleep until its first turn. Safe after fork.
  void wait_for_first_turn() const;

 private:
  FileDescriptor file_;
  std::size_t bytes_ = 0;
  tidings_channel* channel_ = nullptr;
};

}  // namespace tidings
