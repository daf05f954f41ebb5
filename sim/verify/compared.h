// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file compared.h
/// What a comparison has found.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tidings::verify {

/// The first difference between two sides.
struct Difference {
  std::uint64_t cycle = 0;  ///< in which it shows
  std::uint32_t node = 0;
  std::string place;  ///< port, slot or memory
  std::string field;
  std::uint64_t expected = 0;  ///< of the RTL
  std::uint64_t got = 0;       ///< of the cycle model
  bool of_fabric = false;  ///< the cycle model's fabric differs, and the node beside the RTL with its inputs does not
};

/// Why a comparison stopped without a difference.
enum class StopKind : std::uint8_t {
  kBusy,     ///< the machines do not come to rest
  kWaiting,  ///< nothing moves any more, and commands wait
  kFailed,   ///< a machine cannot go on
};

/// Both sides are the same, and cannot go on or do not come to their end.
struct Stop {
  StopKind kind = StopKind::kFailed;
  std::uint64_t cycle = 0;
  std::uint32_t node = 0;  ///< the first that is concerned
  std::string reason;
};

/// One access of software to a register that has taken effect.
struct RegisterAccess {
  bool write = false;
  std::uint16_t address = 0;
  std::uint32_t data = 0;  ///< written, or read back
};

/// The first two words of a packet. A packet of one word has no second.
using PacketHeader = std::pair<std::uint32_t, std::optional<std::uint32_t>>;

/// What was compared.
struct Compared {
  std::uint64_t cycles = 0;
  std::uint64_t flit_hops = 0;
  std::uint64_t bus_reads = 0;
  std::uint64_t interrupts = 0;  ///< rising edges
  std::uint64_t memory_words = 0;
  std::vector<std::uint64_t> packets;  ///< random packets for the node's own slots: how many of each kind
  std::vector<PacketHeader> headers;   ///< of those packets, or of a machine's packets on the first link of their way
  std::vector<RegisterAccess> accesses;
  std::optional<Difference> difference;
  std::optional<Stop> stop;
};

}  // namespace tidings::verify
