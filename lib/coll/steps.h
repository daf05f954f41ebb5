// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file steps.h
/// The schedules of all ranks as steps: messages that are under way at the same time.
#include <cstdint>
#include <vector>

#include "coll/registry.h"

namespace tidings {

/// A message of a step.
struct StepMessage {
  std::uint32_t step = 0;
  Member from = 0;
  Member to = 0;
  std::uint32_t blocks = 0;
};

struct Steps {
  std::vector<StepMessage> messages;  ///< by step
  std::uint32_t number = 0;
  std::uint64_t synchronizing = 0;  ///< messages without blocks, in an algorithm that has others: they take no step
};

/// Let all ranks begin at step 0, and each message take a step. A rank goes on when its round is complete. Messages
/// without blocks that only separate rounds take no time here.
/// @throws Impossible if the group has no such algorithm. @throws std::logic_error if its ranks wait for ever.
[[nodiscard]] Steps steps_of(const Algorithm& algorithm, const Placement& placement, int root);

}  // namespace tidings
