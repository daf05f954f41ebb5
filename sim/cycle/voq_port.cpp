// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/voq_port.h"

#include <utility>

#include "sim/cycle/tidings_pkg.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

VoqPort::VoqPort(const NodeParameters& parameters)
    : outputs_(parameters.num_slots),
      slot_buffer_flits_(parameters.slot_buffer_flits),
      voq_flits_(parameters.voq_flits),
      classes_(parameters.num_classes, Class{.queues = VoqMemory(parameters.num_slots, parameters.voq_flits),
                                             .turns = {},
                                             .room = std::vector(parameters.num_slots, parameters.crosspoint_flits),
                                             .has_room = ~std::uint64_t{0},
                                             .held = parameters.slot_buffer_flits}) {}

unsigned VoqPort::output_of(std::uint32_t header) const {
  const Header0 named = Header0::decode(header);
  const std::uint32_t slot = named.dst_slot.value;
  std::uint32_t output = slot;
  // More slots than a slot's number has bits for: the lowest bits of the node's number are the highest of the slot's.
  if (outputs_ > kMaxSlots) {
    const std::uint32_t node = named.dst_node.value;
    output = (node << std::bit_width(kMaxSlots - 1U) | slot) & (std::bit_ceil(outputs_) - 1);
  }
  return output < outputs_ ? output : 0;
}

void VoqPort::choose() {
  std::uint32_t asking = 0;
  credits_ = 0;
  for (unsigned c = 0; c < classes_.size(); ++c) {
    const Class& state = classes_[c];
    if ((state.queues.waiting() & state.has_room) != 0) asking |= 1U << c;
    if (state.held != slot_buffer_flits_ && state.queues.count() + state.held < voq_flits_) credits_ |= 1U << c;
  }
  grant_.reset();
  if (asking == 0) return;
  const auto c = static_cast<unsigned>(std::countr_zero(class_turns_.grant(asking)));
  const Class& state = classes_[c];
  const std::uint64_t eligible = state.queues.waiting() & state.has_room;
  const std::uint64_t winner = state.turns.grant((eligible & state.stay) != 0 ? state.stay : eligible);
  grant_ = {.message_class = c, .output = static_cast<unsigned>(std::countr_zero(winner)), .word = {}};
}

std::optional<VoqPort::Write> VoqPort::clock() {
  std::optional<Write> bus = std::exchange(moving_, std::nullopt);
  // What arrives passes the queues if it can, by what is in them and in the crosspoint before this edge.
  bool passes = false;
  if (arriving_) {
    Class& state = classes_[arriving_->message_class];
    if (!state.inside) state.output = output_of(arriving_->word.data);
    state.inside = !arriving_->word.last;
    --state.held;
    arriving_->output = state.output;
    passes = !bus && ((~state.queues.waiting() & state.has_room) >> state.output & 1U) != 0;
  }
  if (grant_) {
    Class& state = classes_[grant_->message_class];
    const std::uint64_t queue = std::uint64_t{1} << grant_->output;
    grant_->word = state.queues.front(grant_->output);
    state.queues.pop(grant_->output);
    state.turns.accept(queue);
    state.stay = grant_->word.last ? 0 : queue;
    take_room(state, grant_->output);
    class_turns_.accept(1U << grant_->message_class);
    moving_ = grant_;
  }
  if (arriving_) {
    Class& state = classes_[arriving_->message_class];
    if (passes) {
      take_room(state, arriving_->output);
      bus = arriving_;
    } else {
      state.queues.push(arriving_->output, arriving_->word);
    }
    arriving_.reset();
  }
  for (const Write& place : freed_) {
    Class& state = classes_[place.message_class];
    ++state.room[place.output];
    state.has_room |= std::uint64_t{1} << place.output;
  }
  freed_.clear();
  for (unsigned rest = credits_; rest != 0; rest &= rest - 1) {
    ++classes_[static_cast<unsigned>(std::countr_zero(rest))].held;
  }
  return bus;
}

}  // namespace tidings::cycle
