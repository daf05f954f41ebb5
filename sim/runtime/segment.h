// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file segment.h
/// The simulator's end of the memory that it shares with one rank.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "sim/machine/types.h"
#include "sim/runtime/channel.h"
#include "sim/runtime/events.h"
#include "sim/runtime/file_descriptor.h"

namespace tidings {

/// A text in the channel. The rank's process has written it, so it may not end.
template <std::size_t N>
[[nodiscard]] std::string text_of(const char (&text)[N]) {
  return {text, strnlen(text, N)};
}

/// What a rank is told about itself and its machine.
struct SegmentContents {
  std::uint32_t rank = 0;
  std::uint32_t program = 0;
  std::string machine;
  std::span<const Endpoint> endpoints;  ///< of all slots of all ranks
  tidings_grid grid{};
  bool barrier_wires = false;
  bool shared_memory = false;
  std::uint32_t alltoall_entries = 0;
  std::uint32_t alltoall_hop = 1;
  bool hardware_collectives = false;
  bool named_switches = false;
  bool ideal_collectives = false;
  tidings_costs costs{};
  std::uint64_t link_cycle_ps = 0;  ///< as in struct tidings_channel
  std::uint64_t switch_cycle_ps = 0;
  std::uint64_t switch_hop_ps = 0;
  std::uint64_t time_limit_ps = 0;
  int event_file = -1;  ///< if events are stored
};

/// Where things are in the memory shared with one rank. The simulator keeps this to itself: a program with a wild
/// pointer can write anywhere into its segment.
struct SegmentLayout {
  SegmentLayout(std::size_t ranks, std::size_t slots, std::size_t memory_bytes, bool events);

  std::size_t ranks;
  std::size_t slots;         ///< of each rank
  std::size_t memory_bytes;  ///< of each slot
  std::size_t endpoints_at, waiting_at, memory_at;
  std::size_t events_at;      ///< 0 if events are not stored
  std::size_t memory_stride;  ///< from the memory of one slot to that of the next
  std::size_t turns_bytes;    ///< of the turns that the file begins with, whole pages
  std::size_t bytes;          ///< of the segment, whole pages
};

/// Turns and segments of all ranks in one anonymous file, so that a run needs one descriptor whatever its number of
/// ranks. Gone with its last user.
class SegmentFile {
 public:
  /// @param events whether ranks store them.
  /// @throws std::system_error if the system refuses so much memory.
  SegmentFile(std::size_t ranks, std::size_t slots, std::size_t memory_bytes, bool events);

  [[nodiscard]] int file() const { return file_.get(); }
  [[nodiscard]] const SegmentLayout& layout() const { return layout_; }

 private:
  SegmentLayout layout_;
  FileDescriptor file_;
};

/// Channel and node memory of one rank.
class Segment {
 public:
  Segment(const SegmentFile& file, const SegmentContents& contents);
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&&) = delete;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  [[nodiscard]] tidings_channel& channel() const { return *channel_; }
  [[nodiscard]] const SegmentLayout& layout() const { return layout_; }
  /// Null if events are not stored.
  [[nodiscard]] tidings_events* events() const;
  /// Node memory of one of the rank's slots; engine address 0 is its first byte.
  [[nodiscard]] std::span<std::byte> memory(std::uint32_t slot) const;
  /// The ranks that could end this rank's wait, as it said itself.
  [[nodiscard]] std::vector<std::uint32_t> waiting_ranks() const;

  /// For the rank to inherit.
  [[nodiscard]] int file() const { return file_; }
  /// Environment entry by which the rank finds its segment.
  [[nodiscard]] char* variable() { return variable_.data(); }

 private:
  SegmentLayout layout_;
  int file_;
  std::string variable_;
  tidings_channel* channel_ = nullptr;
};

}  // namespace tidings
