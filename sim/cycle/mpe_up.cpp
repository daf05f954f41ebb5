// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_up.h"

#include <algorithm>
#include <bit>

namespace tidings::cycle {
namespace {

/// What is on its way through a stage and back to the front of a buffer.
constexpr std::uint32_t chain_words(std::uint32_t fpu_stages) { return std::bit_ceil(fpu_stages + 5); }

}  // namespace

MpeUp::MpeUp(std::uint32_t packet_words, std::uint32_t combine_ports, std::uint32_t fpu_stages)
    : packet_words_(packet_words), partial_(packet_words), results_(2 * packet_words) {
  stages_.reserve(combine_ports);
  for (std::uint32_t stage = 0; stage < combine_ports; ++stage) {
    stages_.push_back({.unit = MpeCombineStage(fpu_stages), .chain = Fifo<Partial>(chain_words(fpu_stages))});
  }
}

unsigned MpeUp::descriptors_to_read(const MpeCommand& command, const MpeStreamBuffers& streams) const {
  const auto ready = [&](unsigned link) { return streams.count(command.context_id, link) != 0 ? 1U << link : 0; };
  if (command.exchange) {
    // The round before must have left its last result.
    const bool may = await_ && todo_ != 0 && check_ == 0 && stages_done() && results_.room() != 0;
    return may ? ready(next_link(todo_, command.swap)) : 0;
  }
  unsigned read = 0;
  for (unsigned links = todo_; links != 0; links = without_lowest_link(links)) read |= ready(lowest_link(links));
  return read;
}

unsigned MpeUp::rest_after(unsigned children) const {
  for (std::size_t stage = 0; stage < stages_.size() && children != 0; ++stage) {
    children = without_lowest_link(children);
  }
  return children;
}

std::uint32_t MpeUp::next_block(const MpeCommand& command, const MpeStreamBuffers& streams) const {
  // One pass takes what comes; a block of several must be known to come soon.
  if (command.exchange || rest_after(command.children) == 0) return left_;
  const std::uint32_t words = std::min(left_, packet_words_);
  const std::uint32_t first = streams.count(command.context_id, lowest_link(command.children));
  // Half an element is enough: the other half is on its way.
  const std::uint32_t wide = is_wide(command.element) ? 1 : 0;
  return words > first ? (first + wide) & ~wide : words;
}

void MpeUp::evaluate(const MpeCommand& command, const MpeStreamBuffers& streams, bool own_valid) {
  now_ = {};
  const bool has_child = command.children != 0;
  for (unsigned links = check_; links != 0; links = without_lowest_link(links)) {
    const unsigned link = lowest_link(links);
    if (streams.data(link) != command.descriptor) now_.differs |= 1U << link;
  }
  switch (state_) {
    case State::kIdle:
      break;
    case State::kDescriptor:
      now_.descriptor_read = descriptors_to_read(command, streams);
      now_.push_descriptor = now_.differs == 0 && (command.exchange ? !await_ || check_ != 0 : todo_ == 0);
      break;
    case State::kCopy:
      now_.copy = now_.own_pop = own_valid && results_.room() != 0;
      break;
    case State::kBlock:
      now_.block_words = next_block(command, streams);
      now_.block_starts = now_.block_words != 0;
      break;
    case State::kPass:
      now_.pass_ends = true;
      break;
  }
  now_.stream_read = now_.descriptor_read;
  now_.active = now_.copy || now_.descriptor_read != 0 || check_ != 0 || now_.block_starts || now_.push_descriptor;
  for (unsigned rest = live_; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<unsigned>(std::countr_zero(rest));
    Stage& stage = stages_[s];
    MpeCombineStage::Offers offers{.child = has_child};
    if (s == 0) {
      offers.partial_valid = first_pass_ ? own_valid : !partial_.empty();
      offers.partial_last = pass_left_ == 1;
    } else {
      offers.partial_valid = !stage.chain.empty();
      offers.partial_last = stage.chain.front().last;
    }
    offers.stream_valid = streams.count(command.context_id, stage.link) != 0;
    if (stage.final) {
      offers.room = 2 * packet_words_ - results_.count();
    } else if (s + 1 == stages_.size()) {
      offers.room = packet_words_;  // a block has room for its own partial results
    } else {
      offers.room = stages_[s + 1].chain.room();
    }
    stage.unit.evaluate(offers);
    if (stage.unit.take()) {
      if (has_child) now_.stream_read |= 1U << stage.link;
      if (s == 0 && first_pass_) now_.own_pop = true;
    }
    now_.pass_ends = now_.pass_ends && stage.unit.ending();
    now_.active = now_.active || stage.unit.active();
  }
  now_.pass_starts = now_.block_starts || (now_.pass_ends && todo_ != 0 && !command.exchange);
}

void MpeUp::begin_pass(unsigned children) {
  for (Stage& stage : stages_) {
    stage.link = lowest_link(children);
    children = without_lowest_link(children);
    stage.final = children == 0;
  }
}

void MpeUp::clock(const MpeCommand& command, std::uint32_t words, const MpeStreamBuffers& streams,
                  const Inputs& inputs) {
  if (!now_.active && !inputs.start && !inputs.stop && !inputs.result_pop) return;
  const bool has_child = command.children != 0;
  const CombineUnit::Operation operation = combine_operation(command);

  // Results, and what the stages take from each other. All take before any of them gives.
  struct {
    unsigned valid = 0, final = 0, last = 0;  ///< stages, one bit each
    std::array<std::uint32_t, kMaxLinks> data;
  } results;
  if (inputs.result_pop) results_.pop();
  if (now_.push_descriptor) results_.push(command.descriptor);
  const bool keep = command.exchange && todo_ != 0;
  unsigned joining = state_ == State::kBlock ? command.children : todo_;
  unsigned left_over = todo_;
  if (command.exchange) {
    joining = 1U << round_link_;
  } else if (now_.pass_starts) {
    left_over = rest_after(joining);
  }
  const unsigned joining_first = joining;
  unsigned still_live = 0;
  const unsigned moving = now_.pass_starts ? (1U << stages_.size()) - 1 : live_;
  for (unsigned rest = moving; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<unsigned>(std::countr_zero(rest));
    Stage& stage = stages_[s];
    MpeCombineStage::Inputs in{.stop = inputs.stop,
                               .final = stage.final,
                               .swap = command.exchange && (inputs.lower >> round_link_ & 1U) != 0,
                               .stream_data = streams.data(stage.stream_link)};
    if (s == 0) {
      in.partial_data = first_pass_ ? inputs.own_data : partial_.front();
    } else {
      in.partial_data = stage.chain.front().data;
    }
    in.start = now_.pass_starts && (joining != 0 || (s == 0 && !has_child));
    joining = without_lowest_link(joining);
    if (stage.unit.take()) {
      stage.stream_link = stage.link;
      if (s > 0) {
        stage.chain.pop();
      } else if (!first_pass_) {
        partial_.pop();
      }
    }
    const MpeCombineStage::Result result = stage.unit.clock(operation, has_child, in);
    results.valid |= (result.valid ? 1U : 0U) << s;
    results.final |= (result.final ? 1U : 0U) << s;
    results.last |= (result.last ? 1U : 0U) << s;
    results.data[s] = result.data;
    still_live |= (stage.unit.done() ? 0U : 1U) << s;
  }
  for (unsigned rest = results.valid; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint32_t data = results.data[s];
    if ((results.final >> s & 1U) != 0) {
      results_.push(data);
      if (keep) partial_.push(data);
    } else if (s + 1 == stages_.size()) {
      partial_.push(data);
    } else {
      stages_[s + 1].chain.push({(results.last >> s & 1U) != 0, data});
    }
  }
  live_ = still_live;

  if (now_.copy) {
    results_.push(inputs.own_data);
    if (keep) partial_.push(inputs.own_data);
  }
  next_state(command, inputs);

  if (now_.block_starts) {
    pass_left_ = block_ = now_.block_words;
  } else if (now_.pass_starts) {
    pass_left_ = block_;
  } else if (now_.push_descriptor) {
    pass_left_ = left_;
  } else if (stages_.front().unit.take() || now_.copy) {
    --pass_left_;
  }
  if (inputs.start) {
    await_ = false;
  } else if (now_.push_descriptor) {
    await_ = true;
  }
  if (now_.descriptor_read != 0) round_link_ = lowest_link(now_.descriptor_read);
  if (inputs.start) {
    todo_ = command.children;
    left_ = words;
  } else {
    todo_ = now_.pass_starts ? left_over : todo_ & ~now_.descriptor_read;
    if (now_.block_starts && !command.exchange) left_ -= now_.block_words;
  }
  if (now_.pass_starts) {
    first_pass_ = now_.block_starts && !command.exchange;
    begin_pass(joining_first);
  }
}

void MpeUp::next_state(const MpeCommand& command, const Inputs& inputs) {
  const bool more = todo_ != 0;
  check_ = now_.descriptor_read;
  switch (state_) {
    case State::kIdle:
      if (inputs.start) state_ = State::kDescriptor;
      break;
    case State::kDescriptor:
      if (!now_.push_descriptor) break;
      if (left_ != 0) {
        state_ = command.exchange && !await_ ? State::kCopy : State::kBlock;
      } else if (!command.exchange || !more) {
        state_ = State::kIdle;
      }
      break;
    case State::kCopy:
      if (now_.copy && pass_left_ == 1) state_ = more ? State::kDescriptor : State::kIdle;
      break;
    case State::kBlock:
      if (now_.block_starts) state_ = State::kPass;
      break;
    case State::kPass:
      if (now_.pass_ends && command.exchange) {
        state_ = more ? State::kDescriptor : State::kIdle;
      } else if (now_.pass_ends && !more) {
        state_ = left_ == 0 ? State::kIdle : State::kBlock;
      }
      break;
  }
  if (inputs.stop) {
    state_ = State::kIdle;
    check_ = 0;
  }
}

}  // namespace tidings::cycle
