// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file compare_node.h
/// One node and its twin, with the same random surroundings, compared in every cycle.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine_config.h"
#include "sim/machine/node_fabric.h"
#include "sim/verify/compared.h"
#include "sim/verify/node_recorder.h"

namespace tidings::verify {

/// One run of a node under random packets.
struct NodeRun {
  std::uint32_t node = 0;  ///< its number, modulo nodes of the machine
  std::uint32_t seed = 1;
  std::uint32_t cycles = 0;                                          ///< in which packets come
  std::optional<std::vector<std::uint32_t>> packets = std::nullopt;  ///< numbers of those that are sent; all without
};

/// @param begun is given the numbers of the packets that were begun.
[[nodiscard]] Compared compare_nodes(const MachineConfig& config, const NodeFactory& expected, const NodeFactory& got,
                                     const NodeRun& run, std::vector<std::uint32_t>& begun);

/// The same of RTL and twin. @param library of the Verilated node.
[[nodiscard]] Compared compare_node(const MachineConfig& config, const std::string& library, const NodeRun& run,
                                    std::vector<std::uint32_t>& begun);

/// Runs once more without comparing, and keeps the waveforms; those of the RTL go to a file.
/// @param library compiled with tracing.
[[nodiscard]] PortWaves record_node(const MachineConfig& config, const std::string& library, const NodeRun& run,
                                    WaveRequest request);

}  // namespace tidings::verify
