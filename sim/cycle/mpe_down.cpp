// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_down.h"

#include <algorithm>

namespace tidings::cycle {

void MpeDown::evaluate(const Task& task, const Offers& offers) {
  now_ = {};
  if (moved_) {
    now_.data = task.source == DownSource::kParent ? offers.stream_data : held_;
    now_.mismatch = first_ && now_.data != task.descriptor;
    now_.block_push = task.forward && !now_.mismatch;
  }
  // The descriptor is compared before anything is promised.
  if (state_ == State::kStream) now_.coming = std::min(left_, offers.available);
  now_.coming = std::min(now_.coming, packet_words_);
  if (moved_ && now_.coming < packet_words_) ++now_.coming;
  if (!task.forward) now_.coming = 0;
  if (state_ == State::kIdle) return;

  const bool first = state_ == State::kDescriptor;
  bool source_valid = offers.result_valid;
  if (task.source == DownSource::kParent) source_valid = offers.stream_count != 0;
  if (task.source == DownSource::kOwn) source_valid = offers.own_valid || first;
  now_.move = source_valid && (!task.forward || offers.block_room) && may_store(task);
  now_.stream_read = now_.move && task.source == DownSource::kParent;
  now_.own_pop = now_.move && task.source == DownSource::kOwn && !first;
  now_.result_pop = now_.move && task.source == DownSource::kResults;
}

void MpeDown::clock(const Task& task, const Inputs& inputs) {
  const bool written = memory_write_valid() && inputs.memory_write_ready;
  if (!active() && !written && !inputs.start && !inputs.stop) return;

  if (written) store_.pop();
  if (moved_ && task.store && !first_) store_.push(now_.data);
  if (inputs.start) {
    address_ = task.address >> 2;
  } else if (written) {
    ++address_;
  }

  const bool first = state_ == State::kDescriptor;
  if (now_.move) {
    first_ = first;
    if (task.source == DownSource::kResults) {
      held_ = inputs.result_data;
    } else {
      held_ = first ? task.descriptor : inputs.own_data;
    }
  }
  moved_ = now_.move && !inputs.stop;
  switch (state_) {
    case State::kIdle:
      if (inputs.start) state_ = State::kDescriptor;
      break;
    case State::kDescriptor:
      if (now_.move) state_ = left_ == 0 ? State::kIdle : State::kStream;
      break;
    case State::kStream:
      if (now_.move && left_ == 1) state_ = State::kIdle;
      break;
  }
  if (inputs.stop) state_ = State::kIdle;
  if (inputs.start) {
    left_ = task.words;
  } else if (now_.move && !first) {
    --left_;
  }
}

}  // namespace tidings::cycle
