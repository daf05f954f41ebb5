// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/crosspoint_router.h"

#include <optional>

namespace tidings::cycle {

void CrosspointRouter::clock() {
  for (unsigned slot = 0; slot < outputs_.size(); ++slot) {
    if (const auto& choice = outputs_[slot].choice()) inputs_[choice->input].freed(choice->message_class, slot);
    outputs_[slot].take_choice();
  }
  for (const Returned& place : returned_) outputs_[place.slot].credit(place.message_class);
  returned_.clear();
  for (unsigned slot = 0; slot < inputs_.size(); ++slot) {
    if (const std::optional<VoqPort::Write> write = inputs_[slot].clock()) {
      outputs_[write->output].write(write->message_class, slot, write->word);
    }
  }
  choose();
}

void CrosspointRouter::choose() {
  busy_ = false;
  for (CrosspointOutput& output : outputs_) {
    output.choose();
    busy_ = busy_ || output.choice();
  }
  for (VoqPort& input : inputs_) {
    input.choose();
    busy_ = busy_ || input.busy();
  }
}

}  // namespace tidings::cycle
