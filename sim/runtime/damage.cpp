// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/damage.h"

#include <algorithm>
#include <cstring>
#include <iomanip>
#include <span>
#include <sstream>

namespace tidings {
namespace {

/// Calls of a library within each other.
constexpr std::uint32_t kMostDepth = 1U << 16;
/// As many bytes are shown: a number or the letters of a text can be recognised.
constexpr std::size_t kShown = 8;

const std::byte* bytes_of(const tidings_channel& channel) { return reinterpret_cast<const std::byte*>(&channel); }

std::string describe(const tidings_channel& channel, std::size_t at, const std::string& what) {
  std::ostringstream text;
  text << "byte " << at << " (" << what << ") holds" << std::hex << std::setfill('0');
  for (const std::byte byte : std::span(bytes_of(channel), sizeof channel).subspan(at).first<kShown>())
    text << ' ' << std::setw(2) << std::to_integer<unsigned>(byte);
  return text.str();
}

/// A field that has a value which no library writes there.
struct WrongField {
  const void* field;
  const char* name;
};

std::optional<WrongField> wrong_field(const Segment& segment, const SegmentLayout& layout, std::uint64_t limit_ps) {
  const tidings_channel& channel = segment.channel();
  struct Limit {
    const std::uint32_t& field;
    std::size_t most;
    const char* name;
  };
  const Limit limits[] = {
      {channel.stop, TIDINGS_STOP_AWAIT, "why the rank stopped"},
      {channel.slot, layout.slots - 1, "slot"},
      {channel.access_count, TIDINGS_BUS_MOST_ACCESSES, "number of bus accesses"},
      {channel.parcel.bytes, TIDINGS_PARCEL_BYTES, "bytes of a parcel"},
      {channel.begun, 1, "whether the rank has begun"},
      {channel.debugged, 1, "whether a debugger runs"},
      {channel.state, TIDINGS_SLOTS_CLOSED, "state of the slots"},
      {channel.open_slots, layout.slots, "number of open slots"},
      {channel.free_work, 1, "whether work is free"},
      {channel.threads, 1, "whether there are threads"},
      {channel.wake, 1, "wake of a thread"},
      {channel.announced.slot, layout.slots - 1, "slot of announced work"},
      {channel.ring_count, TIDINGS_RING_ENTRIES, "number of posted writes"},
      {channel.operation_rows, TIDINGS_MAX_OPERATIONS, "number of kinds of calls"},
      {channel.reason_rows, TIDINGS_MAX_REASONS, "number of reasons"},
      {channel.label_rows, TIDINGS_MAX_LABELS, "number of argument names"},
      {channel.operation.depth, kMostDepth, "depth of calls"},
      {channel.operation.statistics, TIDINGS_MAX_OPERATIONS - 1, "row of a call"},
      {channel.operation.argument_count, TIDINGS_MAX_ARGUMENTS, "number of arguments"},
      {channel.operation.waiting_ranks, layout.ranks, "number of ranks waited for"},
      {channel.other_call_count, TIDINGS_MAX_OTHER_CALLS, "number of calls of other threads"},
  };
  for (const Limit& limit : limits)
    if (limit.field > limit.most) return WrongField{&limit.field, limit.name};
  if (channel.local_ps > limit_ps) return WrongField{&channel.local_ps, "time of the rank"};
  if (channel.announced.time_ps > limit_ps) return WrongField{&channel.announced.time_ps, "time of announced work"};
  for (const tidings_posted_write& write : std::span(channel.ring, channel.ring_count)) {
    if (write.stamp_ps > channel.local_ps || write.slot >= layout.slots) return WrongField{&write, "posted write"};
  }
  // The rank's own library has seen that another process seems to speak for it.
  if (channel.magic == TIDINGS_CHANNEL_LOST) return WrongField{&channel.owner_pid, "process of the rank"};
  return std::nullopt;
}

}  // namespace

DamageCheck::DamageCheck(const Segment& segment, std::uint64_t limit_ps) : limit_ps_(limit_ps) {
  std::memcpy(settings_.data(), &segment.channel(), settings_.size());
}

bool DamageCheck::is_whole(const Segment& segment) const {
  const tidings_channel& channel = segment.channel();
  return std::memcmp(&channel, settings_.data(), settings_.size()) == 0 &&
         channel.middle_guard == TIDINGS_CHANNEL_GUARD && channel.last_guard == TIDINGS_CHANNEL_GUARD;
}

std::optional<std::string> DamageCheck::find(const Segment& segment) const {
  const tidings_channel& channel = segment.channel();
  const std::byte* const bytes = bytes_of(channel);
  // The library itself marks a channel in which it has found damage.
  const std::size_t first = channel.magic == TIDINGS_CHANNEL_LOST ? sizeof channel.magic : 0;
  if (std::memcmp(bytes + first, settings_.data() + first, settings_.size() - first) != 0) {
    const auto place = std::mismatch(settings_.begin() + first, settings_.end(), bytes + first).second;
    return describe(channel, static_cast<std::size_t>(place - bytes), "settings of the run");
  }
  if (const auto wrong = wrong_field(segment, segment.layout(), limit_ps_))
    return describe(channel, static_cast<std::size_t>(static_cast<const std::byte*>(wrong->field) - bytes),
                    wrong->name);
  if (channel.middle_guard != TIDINGS_CHANNEL_GUARD)
    return describe(channel, offsetof(tidings_channel, middle_guard), "guard before the posted writes");
  if (channel.last_guard != TIDINGS_CHANNEL_GUARD)
    return describe(channel, offsetof(tidings_channel, last_guard), "guard after the parcels");
  return std::nullopt;
}

}  // namespace tidings
