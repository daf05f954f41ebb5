// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file link_loads.h
/// Which messages of a step meet on which links.
#include <cstdint>
#include <vector>

#include "sim/machine/machine_config.h"
#include "sim/machine/topology.h"

namespace tidings {

/// A message between two slots, numbered as ranks are.
struct Flow {
  std::uint32_t step = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t words = 1;
};

/// What a link carries in a step.
struct LinkLoad {
  std::uint32_t router = 0;
  std::uint32_t port = 0;
  std::uint32_t messages = 0;
  std::uint64_t words = 0;
};

struct StepLoad {
  std::uint32_t step = 0;
  std::uint32_t messages = 0;
  std::uint32_t conflicts = 0;      ///< links that more than one message takes
  std::uint32_t most_messages = 0;  ///< on one link
  std::uint64_t link_words = 0;     ///< on the link that has most
  std::uint64_t port_words = 0;     ///< into or out of the slot that has most
  std::uint64_t longest_way = 0;    ///< cycles of latency
  std::vector<LinkLoad> links{};    ///< that messages take

  /// Cycles that the step takes at least: its longest way, and the words of the busiest link or slot behind the first.
  [[nodiscard]] std::uint64_t cycles() const;
};

/// @param flows by step. @throws std::invalid_argument where one has no such slot.
[[nodiscard]] std::vector<StepLoad> step_loads(const MachineConfig& machine, const Topology& topology,
                                               const std::vector<Flow>& flows);

}  // namespace tidings
