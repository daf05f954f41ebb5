// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file compare_machines.h
/// The same bus operations on a machine of RTL and on the cycle model, compared in every cycle.
#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/machine_config.h"
#include "sim/verify/compared.h"
#include "sim/verify/machine_pair.h"
#include "sim/verify/node_recorder.h"

namespace tidings::verify {

/// Runs a script on two machines and compares them; nodes of the expected one may be `LockstepNode`s.
[[nodiscard]] Compared compare_fabrics(const MachineConfig& config, const FabricFactory& expected,
                                       const FabricFactory& got, const MachinePair::Options& options,
                                       const std::vector<Operation>& script);

/// The same of a machine whose nodes are RTL with their twins beside them, and the cycle model's own fabric.
/// @param library of the Verilated node.
/// @param seed of the memories' contents.
[[nodiscard]] Compared compare_machines(const MachineConfig& config, const std::string& library, std::uint32_t seed,
                                        const std::vector<Operation>& script);

/// Runs a script once more without comparing, and keeps the waveforms of one node: those of the RTL go to a file.
/// @param library compiled with tracing.
[[nodiscard]] PortWaves record_machines(const MachineConfig& config, const std::string& library, std::uint32_t seed,
                                        const std::vector<Operation>& script, const WaveRequest& request);

}  // namespace tidings::verify
