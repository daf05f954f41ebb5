// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_down.h"

namespace tidings::cycle {

void MpeDown::evaluate(const Task& task, const Offers& offers) {
  now_ = {};
  if (moved_) {
    now_.data = word(task, offers.stream_data);
    now_.mismatch = first_ && now_.data != task.descriptor;
    now_.block_push = task.forward && !now_.mismatch;
  }
  if (task.forward) now_.coming = coming(offers.available);
  bool source_valid = offers.result_valid;
  if (task.source == DownSource::kParent) source_valid = offers.stream_count != 0;
  if (task.source == DownSource::kOwn) source_valid = offers.own_valid;
  now_.move = takes(task, source_valid, !task.forward || offers.block_room);
  now_.stream_read = now_.move && task.source == DownSource::kParent;
  now_.own_pop = now_.move && task.source == DownSource::kOwn && !takes_descriptor();
  now_.result_pop = now_.move && task.source == DownSource::kResults;
}

void MpeDown::clock(const Task& task, const Inputs& inputs) {
  const bool written = memory_write_valid() && inputs.memory_write_ready;
  if (!active() && !written && !inputs.start && !inputs.stop) return;
  flow(task, now_.move, now_.data, task.source == DownSource::kResults ? inputs.result_data : inputs.own_data,
       inputs.memory_write_ready);
  if (inputs.start) {
    address_ = task.address >> 2;
    state_ = State::kDescriptor;
    left_ = task.words;
  }
  if (inputs.stop) {
    moved_ = false;
    state_ = State::kIdle;
  }
}

}  // namespace tidings::cycle
