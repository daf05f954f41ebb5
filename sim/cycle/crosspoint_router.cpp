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
      for (std::uint64_t rest = write->outputs; rest != 0; rest &= rest - 1) {
        outputs_[static_cast<unsigned>(std::countr_zero(rest))].write(write->message_class, slot, write->word);
      }
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
  look_up();
}

void CrosspointRouter::look_up() {
  refused_ = false;
  if (routes_.routes() == 0) return;
  std::uint64_t asking = 0;
  for (unsigned slot = 0; slot < inputs_.size(); ++slot) {
    if (inputs_[slot].lookup()) asking |= std::uint64_t{1} << slot;
  }
  if (asking == 0) return;
  // Who looks a route up is busy, so the clock edge that ends this cycle comes.
  const std::uint64_t reader = readers_.grant(asking);
  readers_.accept(reader);
  VoqPort& input = inputs_[static_cast<unsigned>(std::countr_zero(reader))];
  const std::uint64_t ports = routes_.look_up(*input.lookup()).ports;
  refused_ = ports == 0;
  input.serve(ports);
}

}  // namespace tidings::cycle
