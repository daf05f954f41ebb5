// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file network_ports.h
/// How many links a node can have.
#include <cstdint>

#include "generated/node_parameters.h"

namespace tidings {

/// Network ports of such a node: two per dimension; those of a graph have no dimensions.
[[nodiscard]] constexpr std::uint32_t network_ports(const NodeParameters& parameters) {
  return parameters.dims != 0 ? 2 * parameters.dims : parameters.graph_ports;
}

}  // namespace tidings
