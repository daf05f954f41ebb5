// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/crosspoint_output.h"

#include <algorithm>

#include "generated/tidings_pkg.h"

namespace tidings::cycle {
namespace {

/// One packet of this many is chosen without looking at how full crosspoints are.
constexpr std::uint8_t kTurn = 1U << tidings_pkg::kTurnWidth;

}  // namespace

CrosspointOutput::CrosspointOutput(const NodeParameters& parameters)
    : fullest_first_(parameters.fullest_first != 0),
      classes_(parameters.num_classes,
               Class{.crosspoints = std::vector(parameters.num_slots, Fifo<BufferedWord>(parameters.crosspoint_flits)),
                     .turns = WideArbiter(parameters.fixed_priority != 0),
                     .plain_turns = {},
                     .credits = parameters.slot_buffer_flits}) {}

bool CrosspointOutput::is_plain(const Class& state) const {
  return fullest_first_ && state.owner == 0 && state.packets == kTurn - 1;
}

std::uint64_t CrosspointOutput::fullest(const Class& state, std::uint64_t requests) {
  std::uint64_t chosen = 0;
  std::uint32_t most = 0;
  for (std::uint64_t rest = requests; rest != 0; rest &= rest - 1) {
    const std::uint32_t count = state.crosspoints[static_cast<unsigned>(std::countr_zero(rest))].count();
    if (count > most) chosen = 0;
    if (count >= most) chosen |= rest & (~rest + 1);
    most = std::max(most, count);
  }
  return chosen;
}

void CrosspointOutput::choose() {
  choice_.reset();
  std::uint32_t asking = 0;
  for (unsigned c = 0; c < classes_.size(); ++c) {
    const Class& state = classes_[c];
    if ((state.owner != 0 ? state.waiting & state.owner : state.waiting) != 0 && state.credits != 0) asking |= 1U << c;
  }
  if (asking == 0) return;
  const auto c = static_cast<unsigned>(std::countr_zero(class_turns_.grant(asking)));
  const Class& state = classes_[c];
  const std::uint64_t requests = state.owner != 0 ? state.owner : state.waiting;
  const std::uint64_t winner = is_plain(state)
                                   ? state.plain_turns.grant(requests)
                                   : state.turns.grant(fullest_first_ ? fullest(state, requests) : requests);
  const auto input = static_cast<unsigned>(std::countr_zero(winner));
  choice_ = {.message_class = c, .input = input, .word = state.crosspoints[input].front()};
}

void CrosspointOutput::take_choice() {
  if (!choice_) return;
  Class& state = classes_[choice_->message_class];
  const std::uint64_t input = std::uint64_t{1} << choice_->input;
  Fifo<BufferedWord>& crosspoint = state.crosspoints[choice_->input];
  crosspoint.pop();
  if (crosspoint.empty()) state.waiting &= ~input;
  --state.credits;
  (is_plain(state) ? state.plain_turns : state.turns).accept(input);
  if (state.owner == 0) state.packets = static_cast<std::uint8_t>((state.packets + 1) % kTurn);
  state.owner = choice_->word.last ? 0 : input;
  class_turns_.accept(1U << choice_->message_class);
}

}  // namespace tidings::cycle
