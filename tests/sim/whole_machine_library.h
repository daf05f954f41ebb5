// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file whole_machine_library.h
/// A machine wired in SystemVerilog (rtl/machine/machine_top.sv) as a shared library.
#include <cstdint>

#include "generated/node_parameters.h"
#include "sim/machine/node.h"

namespace tidings {

struct WholeMachine;

/// Nodes are numbered with dimension 0 fastest.
struct WholeMachineLibrary {
  NodeParameters parameters;
  std::uint32_t radix[4];  ///< first `parameters.dims` count
  bool wrap;               ///< all dimensions
  std::uint32_t link_latency;

  WholeMachine* (*open)();  ///< after reset
  void (*close)(WholeMachine*);
  /// @param ports node * 2 * dims + port. @param slots node * slots + slot. @param busy one a node.
  void (*outputs)(const WholeMachine*, PortOutput* ports, SlotOutput* slots, bool* busy);
  /// One clock edge. @return null, or what failed.
  const char* (*step)(WholeMachine*, const SlotInput* slots);
};

inline constexpr char kWholeMachineSymbol[] = "tidings_whole_machine_library";

}  // namespace tidings

extern "C" const tidings::WholeMachineLibrary* tidings_whole_machine_library();
