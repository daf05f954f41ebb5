// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file configurations.h
/// Machines and traffic for tests.
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/traffic/traffic_config.h"

namespace tidings::test {

inline traffic::TrafficConfig traffic_on(TopologyKind kind, std::vector<std::uint32_t> size, std::uint32_t slots = 1) {
  traffic::TrafficConfig config;
  config.machine.topology = {.kind = kind, .size = std::move(size), .slots = slots};
  return config;
}

}  // namespace tidings::test
