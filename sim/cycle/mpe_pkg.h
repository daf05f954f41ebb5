// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_pkg.h
/// Twin of rtl/engine/mpe_pkg.sv: what a slot and its message passing engine say to each other.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/cycle/tidings_pkg.h"
#include "sim/machine/types.h"

namespace tidings::cycle {

/// Most tree links an engine can have: the child mask of a command has one bit for each.
inline constexpr unsigned kMaxLinks = 8;
/// Most contexts an engine can have.
inline constexpr unsigned kMaxContexts = 8;
/// The parent that a root names.
inline constexpr std::uint8_t kNoLink = 15;

/// One collective, as the registers `mpe_*` of a slot describe it.
struct MpeCommand {
  std::uint8_t context = 0;
  bool exchange = false;  ///< barrier, allreduce: in rounds over the links `children`
  std::uint8_t swap = 0;  ///< exchange: pairs of links whose higher link comes first, one bit each
  Collective operation = Collective::kBarrier;
  Element element = Element::kInt32;
  Combine combine = Combine::kSum;
  std::uint8_t parent = 0;        ///< link; `kNoLink` on the root
  std::uint8_t children = 0;      ///< one bit a link
  std::uint32_t source = 0;       ///< byte address, word aligned
  std::uint32_t destination = 0;  ///< byte address, word aligned
  std::uint32_t count = 0;        ///< elements; words for broadcast; below 2^30
  std::uint32_t descriptor = 0;   ///< equal on all nodes of one collective
};

/// `info` of Stream and Credit packets.
struct MpeInfo {
  std::uint8_t context = 0;  ///< the same at both ends
  std::uint8_t link = 0;     ///< at the receiver

  [[nodiscard]] std::uint16_t word() const { return static_cast<std::uint16_t>(context << 4 | link); }
  static MpeInfo of(std::uint32_t info) {
    return {static_cast<std::uint8_t>(info >> 4 & 7U), static_cast<std::uint8_t>(info & 0xfU)};
  }
};

/// One neighbour in the tree.
struct MpeLink {
  NodeId node;
  SlotId slot;
  std::uint8_t peer_link = 0;  ///< its link that leads back here
  bool direct = false;         ///< behind the network port of the link's number
};

/// Why the engine refused or stopped. Bits stay set until reset.
struct MpeError {
  bool overflow = false;
  bool unsupported = false;
  bool mismatch = false;
  std::uint8_t context = 0;
  std::uint8_t link = 0;
  std::uint32_t received = 0;
  bool operator==(const MpeError&) const = default;
};

/// The parameters of mpe.sv.
struct MpeParameters {
  std::uint32_t links = 8;           ///< 2 to kMaxLinks
  std::uint32_t contexts = 8;        ///< power of two, at most kMaxContexts
  std::uint32_t buffer_words = 512;  ///< power of two, at least 8
  std::uint32_t packet_words = 64;   ///< power of two, from 4 to half of buffer_words
  std::uint32_t combine_ports = 1;   ///< 1 to kMaxLinks
  std::uint32_t fpu_stages = 4;      ///< at least 3
  std::uint32_t direct_links = 0;    ///< network ports that links can be direct to
  bool multicast = true;             ///< one packet goes to all children with direct links
  std::uint32_t forward_words = 1;   ///< at hand before a packet starts that is not the last, 1 to packet_words
  bool wide_elements = true;         ///< there are 64-bit elements
};

/// What comes in neighbour packets at a network port.
struct MpeTap {
  bool valid = false;        ///< a payload word
  std::uint8_t context = 0;  ///< of the packet under way
  std::uint32_t data = 0;
  std::uint16_t left = 0;  ///< words of the packet that have not come before this cycle
};

/// Neighbours in each context: link l of context c is element c * kMaxLinks + l.
using MpeLinks = std::span<const MpeLink, std::size_t{kMaxContexts} * kMaxLinks>;

/// What enters the engine in one cycle, but for the neighbours' addresses.
struct MpeInputs {
  bool command_valid = false;
  MpeCommand command;
  bool rx_valid = false;  ///< counts where rx_ready() holds
  MpeInfo rx_info;
  std::uint32_t rx_data = 0;
  bool credit_valid = false;
  MpeInfo credit_info;
  std::uint16_t credit_count = 0;
  std::uint8_t tapped = 0;  ///< network ports with a word, one bit each
  std::array<MpeTap, kMaxLinks> taps{};
  bool lane_ready = false;
  bool request_ready = false;
  bool reply_ready = false;
  bool memory_read_ready = false;
  bool memory_data_valid = false;
  std::uint32_t memory_data = 0;
  bool memory_write_ready = false;
};

/// Where the down unit takes its stream from.
enum class DownSource : std::uint8_t { kParent, kOwn, kResults };

/// Lowest link of a mask; link 0 where the mask is empty.
constexpr unsigned lowest_link(unsigned mask) { return mask == 0 ? 0 : static_cast<unsigned>(std::countr_zero(mask)); }

/// Link of the next round of an exchange: of the lowest pair, the lower link unless they are swapped; link 0 where the
/// mask is empty.
constexpr unsigned next_link(unsigned todo, unsigned swap) {
  const unsigned low = lowest_link(todo);
  const bool both = low % 2 == 0 && (todo >> (low + 1) & 1U) != 0;
  return both && (swap >> low / 2 & 1U) != 0 ? low + 1 : low;
}

/// One bit for a link that can exist.
constexpr unsigned link_bit(unsigned link) { return link < kMaxLinks ? 1U << link : 0; }

/// A mask without its lowest link.
constexpr std::uint8_t without_lowest_link(unsigned mask) { return static_cast<std::uint8_t>(mask & (mask - 1)); }

}  // namespace tidings::cycle
