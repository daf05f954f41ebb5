// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file tidings_pkg.h
/// Twin of rtl/common/tidings_pkg.sv: packet headers and the names of operations.
#include <cstdint>

#include "sim/machine/types.h"

namespace tidings::cycle {

/// What a packet is for. The top bit is the message class.
enum class Kind : std::uint8_t {
  kMessage = 0x0,
  kPut = 0x1,
  kGet = 0x2,
  kStream = 0x3,
  kStaticMessage =
      0x4,  ///< and the next three: along a static route, for each slot that it reaches what the kind - 4 is
  kStaticPut = 0x5,
  kStaticStream = 0x7,
  kPutAck = 0x8,
  kGetReply = 0x9,
  kNack = 0xa,
  kCredit = 0xb
};

/// True for the kinds that travel in the reply class.
constexpr bool is_reply(Kind kind) { return (static_cast<unsigned>(kind) & 8U) != 0; }

/// True for the kinds that follow a static route.
constexpr bool is_static(Kind kind) { return static_cast<unsigned>(kind) >> 2U == 1; }

/// First word of every packet.
struct Header0 {
  Kind kind = Kind::kMessage;
  SlotId dst_slot;
  NodeId dst_node;
  NodeId src_node;

  [[nodiscard]] constexpr std::uint32_t word() const {
    return static_cast<std::uint32_t>(kind) << 28 | static_cast<std::uint32_t>(dst_slot.value) << 24 |
           static_cast<std::uint32_t>(dst_node.value) << 12 | src_node.value;
  }
};

/// Second word of every packet.
struct Header1 {
  SlotId src_slot;
  std::uint16_t info = 0;  ///< 12 bits
  std::uint16_t length = 0;

  [[nodiscard]] constexpr std::uint32_t word() const {
    return static_cast<std::uint32_t>(src_slot.value) << 28 | static_cast<std::uint32_t>(info) << 16 | length;
  }
};

/// Collective operations of the message passing engine.
enum class Collective : std::uint8_t { kBarrier, kBroadcast, kReduce, kAllreduce };

/// Element types that the engine can combine.
enum class Element : std::uint8_t { kInt32, kInt64, kFloat, kDouble };

/// Combining operations of the engine; the two numbers left over act as exclusive or.
enum class Combine : std::uint8_t { kSum, kMin, kMax, kAnd, kOr, kXor };

}  // namespace tidings::cycle
