// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file alltoall_benchmark.h
/// How long a collective of the engine `alltoall` takes, and that its result is right.
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/machine/fabric.h"
#include "sim/machine/machine_config.h"

namespace tidings {

/// The orders of one rank, by their numbers in the engine.
using AlltoallOrders = std::vector<std::vector<std::uint8_t>>;

/// Let all ranks start in the same cycle, and compare every memory with what must be there.
/// @param programs of the ranks. @param words of a block.
/// @param root of a broadcast, which is of block 0; of an all-to-all none.
/// @return cycles from the one in which the write that starts is on all ranks' buses to the last interrupt.
/// @throws std::runtime_error if an engine never ends, or a word is wrong; it says which and where.
[[nodiscard]] std::uint64_t benchmark_alltoall(const MachineConfig& config, const FabricFactory& factory,
                                               const std::vector<AlltoallOrders>& programs, std::uint32_t words,
                                               std::optional<std::uint32_t> root);

}  // namespace tidings
