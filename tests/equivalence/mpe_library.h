// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file mpe_library.h
/// The message passing engine of the RTL (rtl/engine/mpe.sv), compiled, as a shared library.
#include <cstdint>

#include "sim/cycle/mpe_pkg.h"
#include "sim/machine/node.h"

namespace tidings::test {

/// What leaves the engine in one cycle. What does not count in a cycle reads as zero.
struct MpeOutputs {
  bool command_ready = false;
  std::uint32_t completed = 0;
  bool done = false;
  cycle::MpeError error;
  bool failed = false;
  bool rx_ready = false;
  bool lane_valid = false;
  Flit lane;
  bool request_valid = false;
  Flit request;
  bool reply_valid = false;
  Flit reply;
  bool memory_read_valid = false;
  std::uint32_t memory_read_address = 0;
  bool memory_write_valid = false;
  MemoryWrite memory_write;
  bool busy = false;
};

struct MpeInstance;

/// Functions that can fail return null, or a message that is valid until the engine's next call.
struct MpeLibrary {
  cycle::MpeParameters parameters;
  /// After reset, from state that is drawn from `seed`, which is not zero.
  MpeInstance* (*create)(std::uint16_t node, std::uint8_t slot, int seed);
  void (*destroy)(MpeInstance*);
  /// @param links kMaxContexts * kMaxLinks of them, as cycle::MpeLinks.
  void (*outputs)(MpeInstance*, const cycle::MpeLink* links, MpeOutputs*);
  /// One clock edge.
  const char* (*step)(MpeInstance*, const cycle::MpeInputs*);
};

inline constexpr char kMpeLibrarySymbol[] = "tidings_mpe_library";

}  // namespace tidings::test

extern "C" const tidings::test::MpeLibrary* tidings_mpe_library();
