// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/segment.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <new>
#include <utility>

#include "sim/runtime/turns.h"

namespace tidings {
namespace {

constexpr std::size_t kPageBytes = 4096;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

template <std::size_t N>
void copy_text(char (&to)[N], const std::string& text) {
  const std::size_t length = std::min(text.size(), N - 1);
  std::copy_n(text.begin(), length, to);
  to[length] = '\0';
}

std::string allowed_file_size() {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  return std::to_string(limit.rlim_cur >> 10) + " KiB";
}

}  // namespace

SegmentLayout::SegmentLayout(std::size_t number, std::size_t each, std::size_t node_memory, bool events)
    : ranks(number),
      slots(each),
      memory_bytes(node_memory),
      endpoints_at(sizeof(tidings_channel)),
      waiting_at(round_up(endpoints_at + ranks * slots * sizeof(tidings_endpoint), alignof(std::uint32_t))),
      memory_at(round_up(waiting_at + ranks * sizeof(std::uint32_t), kPageBytes) +
                (events ? round_up(sizeof(tidings_events), kPageBytes) : 0)),
      events_at(events ? memory_at - round_up(sizeof(tidings_events), kPageBytes) : 0),
      memory_stride(round_up(memory_bytes, kPageBytes)),
      turns_bytes(round_up(Turns::bytes(ranks), kPageBytes)),
      bytes(memory_at + slots * memory_stride) {}

SegmentFile::SegmentFile(std::size_t ranks, std::size_t slots, std::size_t memory_bytes, bool events)
    : layout_(ranks, slots, memory_bytes, events), file_(memfd_create("tidings-ranks", MFD_CLOEXEC)) {
  const std::size_t bytes = layout_.turns_bytes + ranks * layout_.bytes;
  if (file_ && ftruncate(file_.get(), static_cast<off_t>(bytes)) == 0) return;
  std::string what = "shared memory of the ranks, " + std::to_string(bytes >> 10) + " KiB";
  if (errno == EFBIG) what += " (ulimit -f allows files of " + allowed_file_size() + " only)";
  throw system_failure(what);
}

Segment::Segment(const SegmentFile& file, const SegmentContents& contents)
    : layout_(file.layout()), file_(file.file()) {
  const std::size_t offset = layout_.turns_bytes + contents.rank * layout_.bytes;
  variable_ = TIDINGS_CHANNEL_VARIABLE "=" + std::to_string(file_) + ":" + std::to_string(offset);
  void* base = mmap(nullptr, layout_.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(offset));
  if (base == MAP_FAILED) throw system_failure("mapping the shared memory of rank " + std::to_string(contents.rank));

  channel_ = new (base) tidings_channel{};
  channel_->magic = TIDINGS_CHANNEL_MAGIC;
  channel_->rank = contents.rank;
  channel_->ranks = static_cast<std::uint32_t>(layout_.ranks);
  channel_->slots = static_cast<std::uint32_t>(layout_.slots);
  channel_->program = contents.program;
  channel_->barrier_wires = contents.barrier_wires;
  channel_->shared_memory = contents.shared_memory;
  channel_->alltoall_entries = contents.alltoall_entries;
  channel_->alltoall_hop = contents.alltoall_hop;
  channel_->hardware_collectives = contents.hardware_collectives;
  channel_->named_switches = contents.named_switches;
  channel_->ideal_collectives = contents.ideal_collectives;
  channel_->grid = contents.grid;
  channel_->costs = contents.costs;
  channel_->link_cycle_ps = contents.link_cycle_ps;
  channel_->switch_cycle_ps = contents.switch_cycle_ps;
  channel_->switch_hop_ps = contents.switch_hop_ps;
  channel_->time_limit_ps = contents.time_limit_ps;
  channel_->segment_bytes = layout_.bytes;
  channel_->endpoints_offset = layout_.endpoints_at;
  channel_->waiting_offset = layout_.waiting_at;
  channel_->events_offset = layout_.events_at;
  channel_->memory_offset = layout_.memory_at;
  channel_->memory_bytes = layout_.memory_bytes;
  channel_->memory_stride = layout_.memory_stride;
  copy_text(channel_->machine, contents.machine);
  channel_->middle_guard = TIDINGS_CHANNEL_GUARD;
  channel_->last_guard = TIDINGS_CHANNEL_GUARD;
  auto* endpoints = reinterpret_cast<tidings_endpoint*>(static_cast<std::byte*>(base) + layout_.endpoints_at);
  for (const Endpoint& endpoint : contents.endpoints)
    *endpoints++ = tidings_endpoint{.node = endpoint.node.value, .slot = endpoint.slot.value};
  if (tidings_events* const own = events()) (new (own) tidings_events{})->file = contents.event_file;
}

Segment::Segment(Segment&& other) noexcept
    : layout_(other.layout_),
      file_(other.file_),
      variable_(std::move(other.variable_)),
      channel_(std::exchange(other.channel_, nullptr)) {}

Segment::~Segment() {
  if (channel_ != nullptr) munmap(channel_, layout_.bytes);
}

tidings_events* Segment::events() const {
  if (layout_.events_at == 0) return nullptr;
  return reinterpret_cast<tidings_events*>(reinterpret_cast<std::byte*>(channel_) + layout_.events_at);
}

std::span<std::byte> Segment::memory(std::uint32_t slot) const {
  return {reinterpret_cast<std::byte*>(channel_) + layout_.memory_at + slot * layout_.memory_stride,
          layout_.memory_bytes};
}

std::vector<std::uint32_t> Segment::waiting_ranks() const {
  const auto* first =
      reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const std::byte*>(channel_) + layout_.waiting_at);
  return {first, first + std::min<std::size_t>(channel_->operation.waiting_ranks, layout_.ranks)};
}

}  // namespace tidings
