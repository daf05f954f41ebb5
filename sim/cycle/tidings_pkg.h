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
      0x4,  ///< and the other static ones: along a route, for each slot that it reaches what the kind - 4 is
  kStaticPut = 0x5,
  kNeighbour = 0x6,  ///< words of a collective for routers that are one link away
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

constexpr Kind header0_kind(std::uint32_t word) { return static_cast<Kind>(word >> 28); }

/// Second word of every packet.
struct Header1 {
  SlotId src_slot;
  std::uint16_t info = 0;  ///< 12 bits
  std::uint16_t length = 0;

  [[nodiscard]] constexpr std::uint32_t word() const {
    return static_cast<std::uint32_t>(src_slot.value) << 28 | static_cast<std::uint32_t>(info) << 16 | length;
  }
};

/// The only header word of a neighbour packet.
struct NeighbourHeader {
  std::uint8_t context = 0;  ///< of the engine
  std::uint16_t ports = 0;   ///< network ports that it leaves through, one bit each
  std::uint16_t length = 0;  ///< payload words, at least one

  [[nodiscard]] constexpr std::uint32_t word() const {
    return static_cast<std::uint32_t>(Kind::kNeighbour) << 28 | static_cast<std::uint32_t>(context) << 24 |
           static_cast<std::uint32_t>(ports) << 12 | length;
  }
};

/// The header in such a word.
constexpr NeighbourHeader neighbour_header(std::uint32_t word) {
  return {.context = static_cast<std::uint8_t>(word >> 24 & 0xfU),
          .ports = static_cast<std::uint16_t>(word >> 12 & 0xfffU),
          .length = static_cast<std::uint16_t>(word & 0xfffU)};
}

/// Collective operations of the message passing engine.
enum class Collective : std::uint8_t { kBarrier, kBroadcast, kReduce, kAllreduce };

/// Element types that the engine can combine.
enum class Element : std::uint8_t { kInt32, kInt64, kFloat, kDouble };

/// An element fills two words.
constexpr bool is_wide(Element element) { return element == Element::kInt64 || element == Element::kDouble; }

/// The operation combines elements.
constexpr bool combines(Collective operation) {
  return operation == Collective::kReduce || operation == Collective::kAllreduce;
}

/// Combining operations of the engine; the two numbers left over act as exclusive or.
enum class Combine : std::uint8_t { kSum, kMin, kMax, kAnd, kOr, kXor };

}  // namespace tidings::cycle
