// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file word_schedule_check.h
/// What is wrong with a schedule of words. Shares no code with the search.
#include <cstdint>
#include <string>

#include "coll/word_schedule.h"

namespace tidings {

/// Check for blocks of `repetitions` words:
/// - every word arrives, within the cycles that the schedule says, and no link or port carries two words in a cycle;
/// - every output takes the same inputs in the same order in each repetition, so that its program may wrap;
/// - switches that run these programs, and wait for the input that a program names, never wait in a circle, whatever
///   each word's delay, if every input has room for `room` words.
/// @return the first mistake; empty if there is none.
[[nodiscard]] std::string word_schedule_mistake(const WordSchedule& schedule, std::uint32_t repetitions,
                                                std::uint32_t room);

}  // namespace tidings
