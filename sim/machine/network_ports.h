// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file network_ports.h
/// How many links a node and its static switch can have.
#include <cstdint>

#include "generated/node_parameters.h"
#include "generated/tidings_pkg.h"

namespace tidings {

/// Network ports of such a node: two per dimension; those of a graph have no dimensions.
[[nodiscard]] constexpr std::uint32_t network_ports(const NodeParameters& parameters) {
  return parameters.dims != 0 ? 2 * parameters.dims : parameters.graph_ports;
}

/// Network ports of the static switch of such a node.
[[nodiscard]] constexpr std::uint32_t switch_ports(const NodeParameters& parameters) {
  return parameters.dims > 2 ? tidings_pkg::kSwitchPorts : tidings_pkg::kFlatSwitchPorts;
}

}  // namespace tidings
