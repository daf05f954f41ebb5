// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file memory_layout.h
/// How the library divides node memory.
#include <cstddef>
#include <cstdint>

namespace tidings {

/// Bytes of a word, which engines read and write as a whole.
constexpr std::uint32_t kWordBytes = 4;

/// Places in node memory, in bytes from its start.
struct MemoryLayout {
  std::uint32_t credits = 0;     ///< messages that each other rank may have in our receive ring
  std::uint32_t queue_base = 0;  ///< receive ring: room for the credits of all ranks
  std::uint32_t queue_log2 = 0;
  std::uint32_t transmit_base = 0;  ///< outgoing short messages
  std::uint32_t transmit_slots = 0;
  std::uint32_t chunk = 0;         ///< bytes of each of the buffers below
  std::uint32_t staging_base = 0;  ///< outgoing rendezvous data
  std::uint32_t staging_buffers = 0;
  std::uint32_t collective_base = 0;  ///< two contributions and two results of the collective engine
  std::uint32_t window_base = 0;      ///< incoming rendezvous data: the registered region
  std::uint32_t windows = 0;
  std::uint32_t beside_base = 0;  ///< two areas of the collectives that go on beside the program
  std::uint32_t beside = 0;       ///< bytes of each
  std::uint32_t given_base = 0;   ///< what MPI_Alloc_mem gives
  std::uint32_t given = 0;        ///< bytes

  /// Divide `memory_bytes` for a run of `ranks`. @throws Error if it is too small.
  static MemoryLayout divide(std::size_t memory_bytes, std::uint32_t ranks);
};

}  // namespace tidings
