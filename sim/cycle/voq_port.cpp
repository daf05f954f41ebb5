// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/voq_port.h"

#include <utility>

#include "sim/cycle/router_static.h"
#include "sim/cycle/tidings_pkg.h"
#include "sim/machine/node.h"

namespace tidings::cycle {

VoqPort::VoqPort(const NodeParameters& parameters)
    : outputs_(parameters.num_slots),
      slot_buffer_flits_(parameters.slot_buffer_flits),
      voq_flits_(parameters.voq_flits),
      static_flits_(static_flits(parameters)),
      classes_(parameters.num_classes, Class{.queues = VoqMemory(parameters.num_slots, parameters.voq_flits),
                                             .turns = QueueTurns(parameters.num_slots),
                                             .room = std::vector(parameters.num_slots, parameters.crosspoint_flits),
                                             .has_room = ~std::uint64_t{0},
                                             .stay = {},
                                             .held = parameters.slot_buffer_flits}) {
  if (parameters.num_routes != 0) line_.emplace(Line{.words = Fifo<BufferedWord>(parameters.voq_flits)});
}

std::optional<std::uint32_t> VoqPort::lookup() const {
  if (!looks() || !is_static(kind_of(line_->words.front().data))) return std::nullopt;
  return Header0::decode(line_->words.front().data).dst_node.value % kMaxRoutes;
}

void VoqPort::take_room(Class& state, std::uint64_t outputs) {
  for (; outputs != 0; outputs &= outputs - 1) {
    if (--state.room[static_cast<unsigned>(std::countr_zero(outputs))] == 0) state.has_room &= ~(outputs & -outputs);
  }
}

unsigned VoqPort::output_of(std::uint32_t header) const {
  const Header0 named = Header0::decode(header);
  const std::uint32_t slot = named.dst_slot.value;
  std::uint32_t output = slot;
  // More slots than a slot's number has bits for: the lowest bits of the node's number are the highest of the slot's.
  if (outputs_ > kMaxSlots) {
    const std::uint32_t node = named.dst_node.value;
    output = (node * kMaxSlots | slot) & (std::bit_ceil(outputs_) - 1);
  }
  return output < outputs_ ? output : 0;
}

unsigned VoqPort::queue_of(unsigned message_class, std::uint32_t header) const {
  const bool lines_up = line_ && message_class == 0 && (is_static(kind_of(header)) || !line_->words.empty());
  return lines_up ? line_number() : output_of(header);
}

bool VoqPort::line_moves() const {
  if (!line_ || line_->words.empty() || !line_->known) return false;
  const Class& state = classes_.front();
  const std::uint64_t outputs = line_->outputs;
  if ((outputs & ~state.has_room) != 0) return false;
  if (line_->begun) return true;
  if ((outputs & state.queues.waiting()) != 0) return false;
  if (std::popcount(outputs) < 2) return true;
  for (std::uint64_t rest = outputs; rest != 0; rest &= rest - 1) {
    if (state.room[static_cast<unsigned>(std::countr_zero(rest))] < static_flits_) return false;
  }
  return true;
}

QueueTurns::Requests VoqPort::eligible(unsigned message_class) const {
  const Class& state = classes_[message_class];
  return {.queues = state.queues.waiting() & state.has_room, .line = message_class == 0 && line_moves()};
}

std::uint32_t VoqPort::stored(unsigned message_class) const {
  return classes_[message_class].queues.count() + (message_class == 0 && line_ ? line_->words.count() : 0);
}

void VoqPort::choose() {
  std::uint32_t asking = 0;
  credits_ = 0;
  for (unsigned c = 0; c < classes_.size(); ++c) {
    const Class& state = classes_[c];
    if (eligible(c).any()) asking |= 1U << c;
    if (state.held != slot_buffer_flits_ && stored(c) + state.held < voq_flits_) credits_ |= 1U << c;
  }
  grant_.reset();
  if (asking == 0) return;
  const auto c = static_cast<unsigned>(std::countr_zero(class_turns_.grant(asking)));
  const Class& state = classes_[c];
  const QueueTurns::Requests may_leave = eligible(c);
  const bool line_stays = state.stay == line_number();
  const bool stays = state.stay && (line_stays ? may_leave.line : (may_leave.queues >> *state.stay & 1U) != 0);
  grant_ = {.message_class = c, .queue = stays ? *state.stay : state.turns.grant(may_leave)};
}

VoqPort::Write VoqPort::leave(const Grant& grant) {
  Class& state = classes_[grant.message_class];
  Write write{.message_class = grant.message_class, .outputs = 0, .word = {}};
  if (grant.queue == line_number()) {
    write.outputs = line_->outputs;
    write.word = line_->words.front();
    line_->words.pop();
    line_->begun = !write.word.last;
    line_->known = !write.word.last;
  } else {
    write.outputs = std::uint64_t{1} << grant.queue;
    write.word = state.queues.front(grant.queue);
    state.queues.pop(grant.queue);
  }
  state.turns.accept(grant.queue);
  state.stay = write.word.last ? std::nullopt : std::optional(grant.queue);
  take_room(state, write.outputs);
  class_turns_.accept(1U << grant.message_class);
  return write;
}

std::optional<VoqPort::Write> VoqPort::clock() {
  std::optional<Write> bus = std::exchange(moving_, std::nullopt);
  // What arrives passes the queues if it can, by what is in them and in the crosspoint before this edge.
  bool passes = false;
  if (arriving_) {
    Class& state = classes_[arriving_->message_class];
    if (!state.inside) state.queue = queue_of(arriving_->message_class, arriving_->word.data);
    state.inside = !arriving_->word.last;
    --state.held;
    passes =
        !bus && state.queue != line_number() && ((~state.queues.waiting() & state.has_room) >> state.queue & 1U) != 0;
  }
  if (looks() && (served_ || !lookup())) {
    line_->outputs = served_ ? *served_ : std::uint64_t{1} << output_of(line_->words.front().data);
    line_->known = true;
  }
  served_.reset();
  if (grant_) moving_ = leave(*grant_);
  if (arriving_) {
    Class& state = classes_[arriving_->message_class];
    if (passes) {
      bus = {.message_class = arriving_->message_class,
             .outputs = std::uint64_t{1} << state.queue,
             .word = arriving_->word};
      take_room(state, bus->outputs);
    } else if (state.queue == line_number()) {
      line_->words.push(arriving_->word);
    } else {
      state.queues.push(state.queue, arriving_->word);
    }
    arriving_.reset();
  }
  for (const Freed& place : freed_) {
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
