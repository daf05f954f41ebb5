// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file rma_pkg.h
/// Twin of rtl/engine/rma_pkg.sv: what the parts of the remote memory access engine say to one another.
#include <array>
#include <cstdint>

#include "sim/cycle/tidings_pkg.h"
#include "sim/machine/types.h"

namespace tidings::cycle {

/// Why the target of an operation refused it; 15 is a command that found the queue full.
enum class Nack : std::uint8_t {
  kNone = 0,
  kNotRegistered = 1,
  kBounds = 2,
  kRights = 3,
  kQueueFull = 4,
  kBadPacket = 5,
  kOverflow = 15
};

/// Most rows of a registration table.
inline constexpr unsigned kMaxRegions = 16;

/// What a command asks for; the fourth number is refused.
enum class RmaOperation : std::uint8_t { kMessage, kPut, kGet, kUnknown };

/// A command as software queued it.
struct RmaCommand {
  RmaOperation operation = RmaOperation::kMessage;
  bool notify = false;
  bool static_route = false;  ///< `node` is the number of a static route
  std::uint32_t local_address = 0;
  NodeId node;
  SlotId slot;
  std::uint8_t region = 0;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

/// One row of the registration table.
struct RmaRegion {
  bool valid = false;
  bool readable = false;
  bool writable = false;
  bool routes = false;  ///< the router's table of static routes instead of memory
  std::uint32_t base = 0;
  std::uint32_t length = 0;
};

/// The receive queue as software set it up.
struct RmaQueue {
  bool valid = false;
  std::uint8_t log2_slots = 0;
  std::uint32_t base = 0;
  std::uint16_t head = 0;
};

/// A run of bytes in local memory to be sent as packets of one kind.
struct RmaTransfer {
  Kind kind = Kind::kMessage;
  NodeId node;
  SlotId slot;
  std::uint16_t info = 0;       ///< of every packet
  std::uint16_t last_info = 0;  ///< of the last packet
  bool addressed = false;       ///< a word of address follows the header
  std::uint32_t address = 0;
  std::uint32_t source = 0;
  std::uint32_t bytes = 0;
};

/// A refusal: why and by whom.
struct RmaError {
  SlotId slot;
  NodeId node;
  std::uint8_t code = 0;
};

/// The parameters of rma.sv.
struct RmaParameters {
  std::uint32_t regions = kMaxRegions;
  std::uint32_t packet_words = 64;
  std::uint32_t command_depth = 8;
  std::uint32_t message_words = 64;
  std::uint32_t static_bytes = 264;  ///< payload of the longest message along a static route; 0: there are none
};

/// Bit of a Put's `info`: answer once written.
inline constexpr std::uint16_t kPutAckBit = 1U << 8;
/// Bit of a Nack's `info`: it answers a GET.
inline constexpr std::uint16_t kNackGetBit = 1U << 4;
/// Bit of a Nack's `info`: it answers a PUT that asked for an acknowledgement.
inline constexpr std::uint16_t kNackPutBit = 1U << 5;

/// Payload bytes of the longest message.
constexpr std::uint32_t message_bytes(std::uint32_t message_words) { return 4 * (message_words - 2); }
constexpr NodeId header0_source(std::uint32_t word) { return {static_cast<std::uint16_t>(word & 0xfffU)}; }

constexpr Header1 header1_of(std::uint32_t word) {
  return {.src_slot = {static_cast<std::uint8_t>(word >> 28)},
          .info = static_cast<std::uint16_t>(word >> 16 & 0xfffU),
          .length = static_cast<std::uint16_t>(word)};
}

/// Strobes of a word of which `bytes` bytes are still to come, lowest first.
constexpr std::uint8_t tail_strobe(std::uint32_t bytes) {
  return static_cast<std::uint8_t>(bytes >= 4 ? 0xfU : (1U << bytes) - 1);
}

}  // namespace tidings::cycle
