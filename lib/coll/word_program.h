// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file word_program.h
/// What the static switch of one router is told, so that words move as a schedule says.
#include <array>
#include <cstdint>
#include <vector>

#include "coll/word_schedule.h"
#include "generated/packets_c.h"

namespace tidings {

/// The orders of the engine `alltoall`, as `tidings_alltoall_load` takes them: sets of outputs by input, inputs by
/// output, targets, sources. Inputs are +x, -x, +y, -y, +z, -z and the node. Sets have a bit per port; an input's own
/// is the node.
struct WordProgram : std::array<std::vector<std::uint8_t>, TIDINGS_ALLTOALL_ORDERS> {
  std::uint8_t summands = 0;  ///< inputs whose words are combined, a bit each; their orders are empty
  std::uint8_t outputs = 0;   ///< outputs that sums leave by, likewise
};

/// The node, as an input and as an output.
inline constexpr std::uint8_t kSwitchSlot = TIDINGS_SWITCH_PORTS;
/// Orders of the first output, of targets and of sources; and most members of an all-to-all.
inline constexpr std::size_t kOutputOrders = TIDINGS_SWITCH_SIDES, kTargetOrder = 2 * kOutputOrders,
                             kSourceOrder = kTargetOrder + 1;
inline constexpr std::uint32_t kMostSwitchMembers = TIDINGS_ALLTOALL_MEMBERS;

/// The program of a node for one repetition.
[[nodiscard]] WordProgram word_program(const WordSchedule& schedule, std::uint32_t node);

/// The program of a node for one word that a root has for all others: along its row, from there along the columns, and
/// so on. The word is of block 0, at the root and at the others.
[[nodiscard]] WordProgram broadcast_program(const SwitchSize& size, std::uint32_t root, std::uint32_t node);

/// The program of a node for one word that all nodes have and that is combined: along rows to the root's column, and
/// so on to the root. A link carries one stream, to which every router on the way adds its own word.
/// @param all all nodes get the result, the way back; otherwise the root alone.
[[nodiscard]] WordProgram reduction_program(const SwitchSize& size, std::uint32_t root, std::uint32_t node, bool all);
/// Most words that one router combines in a reduction to any root.
[[nodiscard]] std::uint32_t most_summands(const SwitchSize& size);
/// The root of reductions whose result all get: none is nearer to all.
[[nodiscard]] std::uint32_t central_root(const SwitchSize& size);

}  // namespace tidings
