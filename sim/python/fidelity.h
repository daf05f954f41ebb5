// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file fidelity.h
/// Which nodes of a machine are SystemVerilog and which are the cycle model.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/machine/fabric.h"
#include "sim/rtl/verilated_node.h"

namespace tidings {

struct Fidelity {
  FabricFactory fabric;
  FabricFactory whole;                        ///< the same in one part, if `fabric` makes several; otherwise empty
  std::shared_ptr<VerilatedSession> session;  ///< of the Verilated nodes; none if all nodes are the cycle model
};

/// @param node_library of the Verilated nodes; empty if all nodes are the cycle model.
/// @param rtl_nodes those that are Verilated; empty for all.
/// @param threads that the cycle model is simulated in, where all nodes are that; at least 1. Fewer do it where more
/// would not pay.
/// @throws std::runtime_error where the library cannot be loaded or does not fit the machine.
[[nodiscard]] Fidelity choose_fidelity(const MachineConfig& config, const std::string& node_library,
                                       const std::vector<std::uint32_t>& rtl_nodes, std::uint32_t threads);

}  // namespace tidings
