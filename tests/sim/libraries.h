// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file libraries.h
/// The compiled nodes that build_libraries.py provides, and machines made of them.
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/rtl/verilated_node.h"

namespace tidings::test {

inline std::string library_path(const std::string& name) { return std::string(TIDINGS_TEST_LIBRARIES) + "/" + name; }

/// A machine whose node has these parameters.
inline MachineConfig config_of(const NodeParameters& node, std::vector<std::uint32_t> size, std::uint32_t latency) {
  MachineConfig config;
  TopologyKind kind = node.dateline != 0 ? TopologyKind::kTorus : TopologyKind::kMesh;
  if (node.dims == 0) kind = TopologyKind::kCrossbar;
  config.topology = {kind, std::move(size), node.num_slots};
  config.link.latency_cycles = latency;
  config.node = node;
  config.memory.latency_cycles = 4;
  return config;
}

}  // namespace tidings::test
