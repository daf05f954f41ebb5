// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file alltoall_benchmark.h
/// How long a collective of the engine `alltoall` takes, and that its result is right.
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/cycle/tidings_pkg.h"
#include "sim/machine/fabric.h"
#include "sim/machine/machine_config.h"

namespace tidings {

/// The orders of one rank, by their numbers in the engine.
using AlltoallOrders = std::vector<std::vector<std::uint8_t>>;

/// What else a collective is than an all-to-all: a reduction if elements are summed; otherwise a broadcast, a scatter,
/// a gather or, without a root, an allgather.
struct SwitchCollective {
  std::optional<std::uint32_t> root;            ///< none: all get the sums or the blocks
  bool scatters = false;                        ///< the root has a block for each rank
  bool gathers = false;                         ///< a block comes from each rank
  std::optional<tidings_pkg::Element> element;  ///< what is summed
  std::vector<std::uint32_t> summands;          ///< of each rank: inputs of its switch, one bit each
  std::vector<std::uint32_t> outputs;           ///< likewise: outputs that sums leave by
};

/// Let all ranks start in the same cycle, and compare every memory with what must be there.
/// @param programs of the ranks. @param words of a block.
/// @param other of an all-to-all none. A rank that has one block, or gets one, has it as block 0.
/// @return cycles from the one in which the write that starts is on all ranks' buses to the last interrupt.
/// @throws std::runtime_error if an engine never ends, or a word is wrong; it says which and where.
[[nodiscard]] std::uint64_t benchmark_alltoall(const MachineConfig& config, const FabricFactory& factory,
                                               const std::vector<AlltoallOrders>& programs, std::uint32_t words,
                                               const std::optional<SwitchCollective>& other);

}  // namespace tidings
