// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_pkg.h
/// Twin of rtl/engine/mpe_pkg.sv: what a slot and its message passing engine say to each other. Types and constants are
/// generated from it.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "generated/mpe_pkg.h"
#include "generated/node_parameters.h"
#include "sim/cycle/tidings_pkg.h"
#include "sim/machine/types.h"

namespace tidings::cycle {

using namespace mpe_pkg;

/// The parameters of mpe.sv.
struct MpeParameters {
  NodeParameters node;
  std::uint32_t direct_links = 0;  ///< network ports that links can be direct to
  bool multicast = true;           ///< one packet goes to all children with direct links
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
  bool rx_valid = false;  ///< counts if rx_ready() holds
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

/// What enters it in a cycle in which words flow (`Mpe::flows`), but for words at taps, which come after it.
struct MpeFlow {
  unsigned tap_context = 0;    ///< of the packet under way at the parent's tap
  std::uint32_t tap_left = 0;  ///< its words that have not come before this cycle
  bool lane_ready = false;
  bool request_ready = false;
  bool reply_ready = false;
  bool memory_read_ready = false;
  bool memory_data_valid = false;
  std::uint32_t memory_data = 0;
  bool memory_write_ready = false;
};

/// Lowest link of a mask; link 0 if the mask is empty.
constexpr unsigned lowest_link(unsigned mask) { return mask == 0 ? 0 : static_cast<unsigned>(std::countr_zero(mask)); }

/// Link of the next round of an exchange: of the lowest pair, the lower link unless they are swapped; link 0 if the
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
