// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file schedule.h
/// A collective as a schedule: for one rank, rounds of transfers and local steps on blocks of data.
///
/// A schedule knows neither addresses nor types. All transfers of a round are under way together; its local steps
/// follow in order when they are complete. The same description can be run by ranks, checked for contention or costed.
#include <cstdint>
#include <vector>

namespace tidings {

/// The arrays that a schedule works on.
enum class Place : std::uint8_t {
  Input,    ///< what the caller contributes; never written
  Output,   ///< the result, and the partial results of a reduction
  Scratch,  ///< room for what has been received and not yet used
};

/// Consecutive blocks of an array.
struct Range {
  Place place = Place::Output;
  std::uint32_t first = 0;
  std::uint32_t blocks = 1;
  bool operator==(const Range&) const = default;
};

struct Transfer {
  enum class Direction : std::uint8_t { Send, Receive };
  Direction direction = Direction::Send;
  int peer = 0;  ///< rank in the communicator
  Range range;
  int channel = 0;  ///< 0 or 1: transfers of two ranks are matched in order within each
};

struct LocalStep {
  enum class Kind : std::uint8_t {
    Copy,           ///< to = from
    CombineBefore,  ///< to = from ∘ to
    CombineAfter,   ///< to = to ∘ from; from may be destroyed
  };
  Kind kind = Kind::Copy;
  Range from;
  Range to;
};

struct Round {
  std::vector<Transfer> transfers;
  std::vector<LocalStep> steps;
  bool multicast = false;  ///< all transfers send the same: one message may go to all of them
};

/// What one rank does, in order.
using Schedule = std::vector<Round>;

/// Blocks of Scratch that a schedule uses.
[[nodiscard]] std::uint32_t scratch_blocks(const Schedule& schedule);

}  // namespace tidings
