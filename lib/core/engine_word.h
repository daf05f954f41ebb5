// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file engine_word.h
/// What a rank called, in the one word that the collective engines compare.
///
/// | bits | barrier | broadcast | reduce, allreduce |
/// |---|---|---|---|
/// | 31:30 | tidings_collective | | |
/// | 29:22 | | root | root |
/// | 21 | | the bytes are hashed | |
/// | 20:0 | | bytes | |
/// | 21:20 | | | tidings_element |
/// | 19:17 | | | tidings_combine |
/// | 16 | | | the count is hashed |
/// | 15:0 | | | count |
/// | 1:0 | MPI_Barrier, MPI_Finalize, MPI_Init | | |
#include <cstdint>
#include <string>

#include "core/descriptor.h"
#include "driver.h"

namespace tidings {

/// A reduction as the engine knows it.
struct EngineReduction {
  tidings_element element = TIDINGS_ELEMENT_INT32;
  tidings_combine combine = TIDINGS_COMBINE_SUM;
};

/// What the engine does for a collective; a barrier if it is none of the others.
[[nodiscard]] tidings_collective engine_kind(Collective kind);

[[nodiscard]] std::uint32_t engine_word(const CollectiveDescriptor& descriptor, const EngineReduction& reduction = {});

/// What the rank called that sent a word: "MPI_Bcast(root 0, 8 x MPI_INT)".
/// @param ours what we called: a broadcast tells bytes, which are shown in elements of our type if they can be.
[[nodiscard]] std::string explain_engine_word(std::uint32_t word, const CollectiveDescriptor& ours);

}  // namespace tidings
