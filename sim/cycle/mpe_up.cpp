// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_up.h"

#include <algorithm>

namespace tidings::cycle {

MpeUp::MpeUp(std::uint32_t packet_words, std::uint32_t fpu_stages)
    : packet_words_(packet_words), partial_(packet_words), combine_(fpu_stages), results_(2 * packet_words) {}

std::uint32_t MpeUp::next_block(const MpeCommand& command, std::uint32_t stream_count) const {
  std::uint32_t words = packet_words_;
  if (command.children != 0 && stream_count < packet_words_) {
    // Half an element is enough to begin: the other half is on its way.
    const std::uint32_t wide = is_wide(command.element) ? 1 : 0;
    words = (stream_count + wide) & ~wide;
  }
  return std::min(words, left_);
}

void MpeUp::evaluate(const MpeCommand& command, const Offers& offers) {
  now_ = {};
  now_.mismatch = check_ && offers.stream_data != command.descriptor;
  const bool has_child = command.children != 0;
  const bool stream_ready = offers.stream_count != 0;
  bool want = false;
  switch (state_) {
    case State::kIdle:
      return;
    case State::kDescriptor:
      want = todo_ != 0 && stream_ready;
      now_.push_descriptor = todo_ == 0 && !now_.mismatch;
      break;
    case State::kBlock:
      now_.block_words = next_block(command, offers.stream_count);
      now_.block_starts = now_.block_words != 0 && reserved_ <= packet_words_;
      return;
    case State::kPass:
      // A partial result must have come back before the next pass takes it.
      want = (!has_child || stream_ready) && (first_pass_ ? offers.own_valid : inflight_ < block_);
      break;
  }
  now_.stream_read = want && has_child;
  now_.take = want && (!has_child || offers.stream_grant);
  now_.issue = now_.take && state_ == State::kPass;
  now_.pass_ends = now_.issue && index_ == block_ - 1;
}

void MpeUp::clock(const MpeCommand& command, std::uint32_t words, const Offers& offers, const Inputs& inputs) {
  if (!active() && !inputs.start && !inputs.stop && !inputs.result_pop) return;
  const bool has_child = command.children != 0;
  const std::uint8_t todo_rest = without_lowest_link(todo_);
  const bool last_pass = todo_rest == 0;

  // Results, and operands on their way to them. An empty pipeline stands still.
  if (inputs.result_pop) {
    results_.pop();
    --reserved_;
  }
  if (now_.push_descriptor) {
    results_.push(command.descriptor);
    ++reserved_;
  }
  if (now_.block_starts) reserved_ += now_.block_words;
  const std::uint32_t partial = partial_[index_];
  if (inflight_ != 0) {
    // Without a child, contribution or nothing is the contribution.
    const CombineUnit::Operation operation = has_child ? CombineUnit::Operation{command.element, command.combine}
                                                       : CombineUnit::Operation{Element::kInt32, Combine::kOr};
    const CombineUnit::Output output = combine_.output(operation);
    if (output.valid) {
      --inflight_;
      if (output.tag.last) {
        results_.push(output.data);
      } else {
        // Blocks begin with a whole element: the low word of a pair is the even one.
        const std::uint32_t pair = output.tag.index & ~1U;
        partial_[has_child && is_wide(command.element) ? pair + (output.high ? 1 : 0) : output.tag.index] = output.data;
      }
    }
    combine_.clock(operation, {operands_valid_, a_, has_child ? offers.stream_data : 0, tag_});
  }
  operands_valid_ = now_.issue;
  if (now_.issue) {
    ++inflight_;
    a_ = first_pass_ ? inputs.own_data : partial;
    tag_ = {last_pass, index_};
  }

  // Control.
  const State state = state_;
  check_ = now_.take && state == State::kDescriptor;
  if (now_.take) check_link_ = stream_link();
  switch (state) {
    case State::kIdle:
      if (inputs.start) state_ = State::kDescriptor;
      break;
    case State::kDescriptor:
      if (now_.push_descriptor) state_ = left_ == 0 ? State::kIdle : State::kBlock;
      break;
    case State::kBlock:
      if (now_.block_starts) state_ = State::kPass;
      break;
    case State::kPass:
      if (now_.pass_ends && last_pass) state_ = left_ == 0 ? State::kIdle : State::kBlock;
      break;
  }
  if (inputs.stop) {
    state_ = State::kIdle;
    check_ = false;
  }

  if (inputs.start) {
    todo_ = command.children;
    left_ = words;
  } else if (now_.push_descriptor || (now_.pass_ends && last_pass)) {
    todo_ = command.children;
  } else if (now_.pass_ends || (now_.take && state == State::kDescriptor)) {
    todo_ = todo_rest;
  }
  if (now_.block_starts) {
    left_ -= now_.block_words;
    block_ = now_.block_words;
    index_ = 0;
    first_pass_ = true;
  } else if (now_.issue) {
    index_ = now_.pass_ends ? 0 : index_ + 1;
    if (now_.pass_ends) first_pass_ = false;
  }
}

}  // namespace tidings::cycle
