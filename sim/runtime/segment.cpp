// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/runtime/segment.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <climits>
#include <new>
#include <utility>

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

}  // namespace

Segment::Segment(const SegmentContents& contents) {
  const std::size_t ranks = contents.endpoints.size();
  const std::size_t endpoints_at = sizeof(tidings_channel);
  const std::size_t waiting_at = round_up(endpoints_at + ranks * sizeof(tidings_endpoint), alignof(std::uint32_t));
  const std::size_t memory_at = round_up(waiting_at + ranks * sizeof(std::uint32_t), kPageBytes);
  bytes_ = memory_at + round_up(contents.memory_bytes, kPageBytes);

  file_ = FileDescriptor(memfd_create("tidings-rank", MFD_CLOEXEC));
  if (!file_ || ftruncate(file_.get(), static_cast<off_t>(bytes_)) != 0)
    throw system_failure("shared memory of rank " + std::to_string(contents.rank));
  void* base = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (base == MAP_FAILED) throw system_failure("mapping the shared memory of rank " + std::to_string(contents.rank));

  channel_ = new (base) tidings_channel{};
  channel_->magic = TIDINGS_CHANNEL_MAGIC;
  channel_->rank = contents.rank;
  channel_->ranks = static_cast<std::uint32_t>(ranks);
  channel_->hardware_collectives = contents.hardware_collectives;
  channel_->grid = contents.grid;
  channel_->costs = contents.costs;
  channel_->time_limit_ps = contents.time_limit_ps;
  channel_->segment_bytes = bytes_;
  channel_->endpoints_offset = endpoints_at;
  channel_->waiting_offset = waiting_at;
  channel_->memory_offset = memory_at;
  channel_->memory_bytes = contents.memory_bytes;
  copy_text(channel_->machine, contents.machine);
  channel_->turn = TIDINGS_TURN_SIMULATOR;
  auto* endpoints = reinterpret_cast<tidings_endpoint*>(static_cast<std::byte*>(base) + endpoints_at);
  for (const Endpoint& endpoint : contents.endpoints)
    *endpoints++ = tidings_endpoint{.node = endpoint.node.value, .slot = endpoint.slot.value};
}

Segment::Segment(Segment&& other) noexcept
    : file_(std::move(other.file_)),
      bytes_(std::exchange(other.bytes_, 0)),
      channel_(std::exchange(other.channel_, nullptr)) {}

Segment::~Segment() {
  if (channel_ != nullptr) munmap(channel_, bytes_);
}

std::span<std::byte> Segment::memory() const {
  return {reinterpret_cast<std::byte*>(channel_) + channel_->memory_offset, channel_->memory_bytes};
}

std::vector<std::uint32_t> Segment::waiting_ranks() const {
  const auto* first =
      reinterpret_cast<const std::uint32_t*>(reinterpret_cast<const std::byte*>(channel_) + channel_->waiting_offset);
  return {first, first + std::min(channel_->operation.waiting_ranks, channel_->ranks)};
}

tidings_turn Segment::turn() const {
  return static_cast<tidings_turn>(__atomic_load_n(&channel_->turn, __ATOMIC_ACQUIRE));
}

void Segment::give_turn() {
  std::uint32_t expected = TIDINGS_TURN_SIMULATOR;
  if (__atomic_compare_exchange_n(&channel_->turn, &expected, TIDINGS_TURN_RANK, false, __ATOMIC_RELEASE,
                                  __ATOMIC_RELAXED))
    syscall(SYS_futex, &channel_->turn, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Segment::mark_ended() {
  __atomic_store_n(&channel_->turn, TIDINGS_TURN_ENDED, __ATOMIC_RELEASE);
  syscall(SYS_futex, &channel_->turn, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool Segment::wait_for_turn(std::chrono::milliseconds patience) const {
  const timespec timeout{.tv_sec = patience.count() / 1000, .tv_nsec = patience.count() % 1000 * 1'000'000};
  if (turn() == TIDINGS_TURN_RANK)
    syscall(SYS_futex, &channel_->turn, FUTEX_WAIT, TIDINGS_TURN_RANK, &timeout, nullptr, 0);
  return turn() != TIDINGS_TURN_RANK;
}

void Segment::wait_for_first_turn() const {
  while (turn() == TIDINGS_TURN_SIMULATOR)
    syscall(SYS_futex, &channel_->turn, FUTEX_WAIT, TIDINGS_TURN_SIMULATOR, nullptr, nullptr, 0);
}

}  // namespace tidings
