// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/remote_memory.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/packing.h"

namespace tidings {
namespace {

/// Looks at the engine before the processor waits for an interrupt: a short access is over by then.
constexpr int kLooks = 8;

}  // namespace

RemoteMemory::RemoteMemory(MessageLayer& messages, std::uint32_t base, std::uint32_t bytes)
    : messages_(messages), base_(base), bytes_(bytes), atomics_(tidings_has_atomics(&messages.driver())) {}

std::uint32_t RemoteMemory::add_region(std::uint32_t base, std::size_t bytes) {
  const auto row = static_cast<std::uint32_t>(std::countr_one(regions_used_));
  if (row >= std::min(messages_.driver().regions, kMostRegions)) return kNoRegion;
  regions_used_ |= 1U << row;
  if (bytes > 0) {
    tidings_register(&messages_.driver(), row, base, static_cast<std::uint32_t>(bytes), TIDINGS_READ | TIDINGS_WRITE);
  }
  return row;
}

void RemoteMemory::remove_region(std::uint32_t row) {
  if (row == kNoRegion) return;
  tidings_deregister(&messages_.driver(), row);
  regions_used_ &= ~(1U << row);
}

template <class Done>
void RemoteMemory::wait(Done done, const char* what) {
  for (int look = 0; look < kLooks; ++look) {
    retire();
    if (done()) return;
  }
  ++waiting_;
  listen();
  messages_.wait(
      [&] {
        retire();
        return done();
      },
      [what] { return Waiting{what, {}}; });
  --waiting_;
  listen();
}

void RemoteMemory::listen() { messages_.await_commands(coming_ > 0 || waiting_ > 0); }

std::uint32_t RemoteMemory::reserve(std::size_t bytes) {
  const std::uint64_t whole = (bytes + 7) / 8 * 8;
  std::uint64_t place = 0;
  const auto fits = [&] {
    // A piece does not go around the end.
    const std::uint64_t left = bytes_ - next_ % bytes_;
    place = whole <= left ? next_ : next_ + left;
    return place + whole - first_ <= bytes_;
  };
  if (!fits()) wait(fits, "room for data of accesses to windows");
  next_ = place + whole;
  return base_ + static_cast<std::uint32_t>(place % bytes_);
}

void RemoteMemory::add(Piece piece) {
  piece.end = next_;
  if (piece.awaited() && coming_++ == 0) listen();
  pieces_.push_back(std::move(piece));
}

std::optional<std::uint32_t> RemoteMemory::in_node_memory(const Part& part, std::uint32_t offset) const {
  if (!part.buffer.type->is_contiguous()) return std::nullopt;
  const tidings_memory& memory = messages_.driver().memory;
  const auto address =
      reinterpret_cast<std::uintptr_t>(part.buffer.base) + part.first - reinterpret_cast<std::uintptr_t>(memory.base);
  if (address >= memory.bytes || address % kWordBytes != 0 || offset % kWordBytes != 0) return std::nullopt;
  return static_cast<std::uint32_t>(address);
}

void RemoteMemory::put(const Part& from, std::size_t bytes, Place at, const RequestPointer& request) {
  unwritten_ = true;
  const auto direct = in_node_memory(from, at.offset);
  for (std::uint32_t done = 0; done < bytes;) {
    const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(bytes - done, bytes_ / kPieces));
    const std::uint32_t local = direct ? *direct + done : reserve(size);
    if (!direct) pack(from.buffer, from.first + done, size, messages_.memory(local));
    const std::uint32_t command =
        tidings_put(&messages_.driver(), local, messages_.endpoint(at.rank), at.region, at.offset + done, size);
    done += size;
    add({.command = command, .request = direct && done == bytes ? request : nullptr});
  }
  if (!direct && request) request->complete = true;
}

void RemoteMemory::get(const Part& to, std::size_t bytes, Place at, const RequestPointer& request) {
  const auto direct = in_node_memory(to, at.offset);
  for (std::uint32_t done = 0; done < bytes;) {
    // The engine reads whole words from the one that holds the first byte.
    const std::uint32_t offset = at.offset + done;
    const std::uint32_t lead = offset % kWordBytes;
    const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(bytes - done, bytes_ / kPieces - lead));
    const std::uint32_t local = direct ? *direct + done : reserve(lead + size);
    const std::uint32_t command =
        tidings_get(&messages_.driver(), local, messages_.endpoint(at.rank), at.region, offset - lead, lead + size);
    add({.command = command,
         .local = local + lead,
         .bytes = direct ? 0 : size,
         .to = {to.buffer, to.first + done},
         .request = done + size == bytes ? request : nullptr});
    done += size;
  }
}

void RemoteMemory::change(const Change& what, const Part& from, const Part& to, Place at,
                          const RequestPointer& request) {
  const std::uint32_t local = reserve(2 * std::size_t{what.bytes});
  if (from.buffer.type != nullptr) pack(from.buffer, from.first, what.bytes, messages_.memory(local));
  if (what.compare != nullptr) tidings_copy(messages_.memory(local + what.bytes), what.compare, what.bytes);
  const std::uint32_t command = tidings_atomic(&messages_.driver(), what.operation, local, messages_.endpoint(at.rank),
                                               at.region, at.offset, what.bytes);
  add({.command = command,
       .local = local,
       .bytes = to.buffer.type == nullptr ? 0 : what.bytes,
       .to = to,
       .request = request});
}

bool RemoteMemory::retire() {
  bool moved = false;
  while (!pieces_.empty() && tidings_rma_done(&messages_.driver(), pieces_.front().command)) {
    const Piece piece = pieces_.pop_front();
    if (piece.bytes > 0) unpack(piece.to.buffer, piece.to.first, messages_.memory(piece.local), piece.bytes);
    if (piece.awaited() && --coming_ == 0) listen();
    if (piece.request) piece.request->complete = true;
    first_ = piece.end;
    moved = true;
  }
  if (pieces_.empty()) first_ = next_;
  return moved;
}

void RemoteMemory::settle() {
  if (!pieces_.empty()) wait([&] { return pieces_.empty(); }, "accesses to windows to be done");
}

void RemoteMemory::flush() {
  if (unwritten_) {
    messages_.await_quiet(kLooks, [] { return Waiting{"what has been written in windows to be there", {}}; });
    unwritten_ = false;
  }
  settle();
}

Activity::State RemoteMemory::advance() {
  // What is only written is of no interest until there is no room.
  return coming_ > 0 && retire() ? State::Moved : State::Idle;
}

}  // namespace tidings
