// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "core/memory_layout.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/abi.h"
#include "core/error.h"
#include "driver.h"

namespace tidings {
namespace {

constexpr std::uint32_t kLeastCredits = 4;
constexpr std::uint32_t kMostCredits = 32;
constexpr std::uint32_t kTransmitSlots = 16;
constexpr std::uint32_t kLeastChunk = 1024;
constexpr std::uint32_t kMostChunk = 65536;
constexpr std::uint32_t kStagingBuffers = 4;
constexpr std::uint32_t kCollectiveBuffers = 4;
constexpr std::uint32_t kLeastWindows = 2;
constexpr std::uint32_t kMostWindows = 128;
constexpr std::uint32_t kMostQueueLog2 = 15;

}  // namespace

MemoryLayout MemoryLayout::divide(std::size_t memory_bytes, std::uint32_t ranks) {
  const auto fail = [&](const std::string& why) {
    throw Error(MPI_ERR_NO_MEM,
                "node memory of " + std::to_string(memory_bytes) + " bytes is too small for " + std::to_string(ranks) +
                    " ranks: " + why,
                "Give memory.size_bytes of the machine file a larger value, or start fewer ranks.");
  };
  // Addresses of the engines are 32 bits wide.
  const auto bytes = static_cast<std::uint32_t>(std::min<std::size_t>(memory_bytes, 1U << 31));
  const std::uint32_t others = std::max(ranks, 2U) - 1;

  MemoryLayout l;
  const std::uint32_t eighth = bytes / 8 / TIDINGS_QUEUE_SLOT_BYTES;
  l.credits = std::clamp(eighth / others, kLeastCredits, kMostCredits);
  l.queue_log2 = static_cast<std::uint32_t>(std::bit_width(std::bit_ceil(others * l.credits)) - 1);
  if (l.queue_log2 > kMostQueueLog2) fail("the receive queue would need more than 32768 slots");
  l.chunk = std::clamp(std::bit_floor(bytes / 256), kLeastChunk, kMostChunk);

  std::uint64_t end = 0;
  const auto take = [&end](std::uint64_t size) {
    const auto base = static_cast<std::uint32_t>(end);
    end += size;
    return base;
  };
  l.queue_base = take(static_cast<std::uint64_t>(TIDINGS_QUEUE_SLOT_BYTES) << l.queue_log2);
  l.transmit_slots = kTransmitSlots;
  l.transmit_base = take(static_cast<std::uint64_t>(kTransmitSlots) * TIDINGS_QUEUE_SLOT_BYTES);
  l.staging_buffers = kStagingBuffers;
  l.staging_base = take(static_cast<std::uint64_t>(kStagingBuffers) * l.chunk);
  l.collective_base = take(static_cast<std::uint64_t>(kCollectiveBuffers) * l.chunk);
  const std::uint64_t least = end + static_cast<std::uint64_t>(kLeastWindows) * l.chunk;
  if (bytes < least) fail("at least " + std::to_string(least) + " bytes are needed");
  l.windows = static_cast<std::uint32_t>(std::min<std::uint64_t>((bytes - end) / l.chunk, kMostWindows));
  l.window_base = take(static_cast<std::uint64_t>(l.windows) * l.chunk);
  // Half of what is left is for each of them. Small memories have nothing left: then collectives beside the program use
  // the memory of those that block, which wait for them.
  constexpr std::uint32_t kLine = 64;
  const auto left = static_cast<std::uint32_t>(bytes - end);
  l.beside = left / 4 / kLine * kLine;
  l.beside_base = take(2 * l.beside);
  if (l.beside < 2 * l.chunk) {
    l.beside = 2 * l.chunk;
    l.beside_base = l.collective_base;
  }
  l.given_base = static_cast<std::uint32_t>((end + kLine - 1) / kLine * kLine);
  l.given = l.given_base < bytes ? bytes - l.given_base : 0;
  return l;
}

}  // namespace tidings
