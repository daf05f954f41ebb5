// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot_library.h
/// The slot of the RTL (rtl/engine/slot.sv), compiled, as a shared library.
#include <array>
#include <cstdint>

#include "generated/node_parameters.h"
#include "sim/machine/node.h"

namespace tidings::test {

/// What leaves a slot in one cycle. What does not count in a cycle reads as zero.
struct SlotView {
  PortOutput port;
  SlotOutput slot;
  bool lane_valid = false;
  Flit lane;
  std::uint32_t tokens = 0;                                 ///< of barriers: port * groups + group
  std::array<SideLink, tidings_pkg::kSwitchPorts> links{};  ///< of the static switch, and of the network of `stream`
  bool busy = false;
};

/// What enters a slot over direct links and wires of barriers in one cycle.
struct SlotDirect {
  std::uint8_t tapped = 0;     ///< taps with a flit, one bit each
  std::array<Flit, 8> taps{};  ///< the flits
  bool lane_credit = false;
  std::uint32_t tokens = 0;                                 ///< of barriers: port * groups + group
  std::array<SideLink, tidings_pkg::kSwitchPorts> links{};  ///< likewise
};

struct SlotInstance;

struct SlotLibrary {
  NodeParameters node;
  std::uint32_t direct_links;
  /// After reset, from state that is drawn from `seed`, which is not zero.
  SlotInstance* (*create)(std::uint16_t node, std::uint8_t slot, int seed);
  void (*destroy)(SlotInstance*);
  void (*outputs)(const SlotInstance*, SlotView*);
  /// One clock edge. Returns null, or a message that is valid until the slot's next call.
  const char* (*step)(SlotInstance*, const PortInput*, const SlotInput*, const SlotDirect*);
};

inline constexpr char kSlotLibrarySymbol[] = "tidings_slot_library";

}  // namespace tidings::test

extern "C" const tidings::test::SlotLibrary* tidings_slot_library();
