// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file remote_memory.h
/// Accesses to registered memory of other ranks, which the engine `rma` carries out without their libraries.
///
/// Data under way lies in a ring of node memory, one piece per command. Commands are done in their order, so pieces
/// leave the ring in the order in which they came.
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/activities.h"
#include "core/ring_queue.h"

namespace tidings {

class RemoteMemory final : public Activity {
 public:
  /// Of the largest size, for which the ring has room: one is copied while others are under way.
  static constexpr std::uint32_t kPieces = 4;

  /// Where an access begins.
  struct Place {
    std::uint32_t rank = 0;    ///< of all ranks
    std::uint32_t region = 0;  ///< row of its registration table
    std::uint32_t offset = 0;  ///< bytes from the start of the region
  };
  /// What an access combines with one element, and where the old value goes.
  struct Change {
    enum tidings_atomic operation = TIDINGS_ATOMIC_FETCH;
    std::uint32_t bytes = 4;             ///< of the element: 4 or 8
    const std::byte* compare = nullptr;  ///< for TIDINGS_ATOMIC_COMPARE_SWAP
  };
  /// A part of a buffer, in packed bytes.
  struct Part {
    Buffer buffer;
    std::size_t first = 0;
  };

  static constexpr std::uint32_t kNoRegion = 0;    ///< no row: the message layer has the first
  static constexpr std::uint32_t kLockRegion = 1;  ///< words of locks, one for each row
  /// Rows of a registration table that are used at most.
  static constexpr std::uint32_t kMostRegions = 16;

  /// @param base of the ring. @param bytes of it: `kPieces` pieces, which are a multiple of 8 bytes each.
  RemoteMemory(MessageLayer& messages, std::uint32_t base, std::uint32_t bytes);

  /// Let others access memory of this rank, which may have no bytes. @return the row; kNoRegion if none is free.
  std::uint32_t add_region(std::uint32_t base, std::size_t bytes);
  void remove_region(std::uint32_t row);

  /// The machine has atomic accesses.
  [[nodiscard]] bool atomics() const { return atomics_; }

  /// Write `bytes` of a buffer. What lies in node memory is not copied: the engine reads it there.
  /// @param at word aligned. @param request completes when the buffer is free.
  void put(const Part& from, std::size_t bytes, Place at, const RequestPointer& request);
  /// Read `bytes` into a buffer. @param request completes when all of it is there; null: a later one tells.
  void get(const Part& to, std::size_t bytes, Place at, const RequestPointer& request);
  /// Change one element. @param from the operand; its buffer has no type if the operation needs none.
  /// @param to where the old value goes; its buffer has no type if it goes nowhere. @param request as for get().
  void change(const Change& what, const Part& from, const Part& to, Place at, const RequestPointer& request);

  /// Wait until all that has been asked for here has come.
  void settle();
  /// Wait until that is so, and all that has been written is at its targets.
  void flush();

  State advance() override;

 private:
  struct Piece {
    std::uint32_t command = 0;
    std::uint32_t local = 0;  ///< where its data lies
    std::uint32_t bytes = 0;  ///< that go to a buffer; 0: none do
    Part to{};
    RequestPointer request{};
    std::uint64_t end = 0;  ///< of its place in the ring, if it has one; else of that before

    [[nodiscard]] bool awaited() const { return bytes > 0 || request; }
  };

  /// Wait for room in the ring. @return its address.
  std::uint32_t reserve(std::size_t bytes);
  void add(Piece piece);
  /// Where the engine finds a part that is one run of bytes in node memory, as far from a word as the other side is.
  [[nodiscard]] std::optional<std::uint32_t> in_node_memory(const Part& part, std::uint32_t offset) const;
  /// Let pieces go whose commands are done. @return whether there were any.
  bool retire();
  template <class Done>
  void wait(Done done, const char* what);
  /// Have the message layer told of commands that are done, if that matters.
  void listen();

  MessageLayer& messages_;
  std::uint32_t regions_used_ = 1U | 1U << kLockRegion;  ///< rows of this rank's table, one bit each
  std::uint32_t base_;
  std::uint32_t bytes_;
  bool atomics_;
  bool unwritten_ = false;              ///< what has been written may not be at its target
  std::uint32_t coming_ = 0;            ///< pieces that somebody waits for
  std::uint32_t waiting_ = 0;           ///< calls of wait()
  std::uint64_t first_ = 0, next_ = 0;  ///< of what is in use, counted without wrapping around
  RingQueue<Piece> pieces_;
};

}  // namespace tidings
