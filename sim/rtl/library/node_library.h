// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file node_library.h
/// What the shared library of a compiled node offers. The library is compiled on the user's machine
/// (`python/tidings/build/verilated_node.py`), so everything that crosses this boundary is plain data.
#include <cstdint>

#include "generated/node_parameters.h"
#include "sim/machine/node.h"

namespace tidings {

/// Changes with this header, node.h or node_parameters.h.
inline constexpr std::uint32_t kNodeLibraryVersion = 8;
/// Name of the function below in the library.
inline constexpr char kNodeLibrarySymbol[] = "tidings_node_library";

struct NodeSession;   ///< nodes that share a time and a file of waveforms
struct NodeInstance;  ///< one node

/// Functions that can fail return null, or a message that is valid until the next call in this session.
struct NodeLibrary {
  std::uint32_t version;
  NodeParameters parameters;
  bool waves;  ///< compiled with tracing

  NodeSession* (*open)();
  void (*close)(NodeSession*);  ///< and all its nodes

  /// Make a node and reset it. @param radix,wrap kMaxDims entries each. @param table as many rows as its parameter
  /// `table_rows` says. @param name in waveforms.
  const char* (*create)(NodeSession*, const char* name, std::uint16_t node_id, const std::uint16_t* radix,
                        const bool* wrap, const RouteRow* table, NodeInstance** instance);
  /// The outputs that show now. @param ports,slots as many as the node has.
  void (*outputs)(const NodeInstance*, PortOutput* ports, SlotOutput* slots, bool* busy);
  /// One clock edge with these inputs.
  const char* (*step)(NodeInstance*, const PortInput* ports, const SlotInput* slots);

  /// Show these inputs with the clock low, without an edge, so that waveforms have them in their cycle.
  const char* (*show)(NodeInstance*, const PortInput* ports, const SlotInput* slots);
  /// Begin a file of waveforms. @param only the node to write; all where it is null.
  const char* (*wave_open)(NodeSession*, const char* path, const NodeInstance* only);
  /// Write what has changed since the last call. Times may not go backwards.
  void (*wave_dump)(NodeSession*, std::uint64_t picoseconds);
};

}  // namespace tidings

extern "C" const tidings::NodeLibrary* tidings_node_library();
