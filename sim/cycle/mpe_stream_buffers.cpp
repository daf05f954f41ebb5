// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_stream_buffers.h"

#include <bit>

namespace tidings::cycle {

MpeStreamBuffers::MpeStreamBuffers(std::uint32_t links, std::uint32_t contexts, std::uint32_t words, NodeId node,
                                   SlotId slot)
    : words_(words),
      count_mask_(2 * words - 1),
      context_mask_(contexts - 1),
      link_mask_(std::bit_ceil(links) - 1),
      node_(node),
      slot_(slot),
      buffers_(std::size_t{contexts} * kMaxLinks),
      memory_(buffers_.size() * words) {}

Flit MpeStreamBuffers::reply_flit(MpeLinks links) const {
  const std::size_t at = place(reply_context_, reply_link_);
  const MpeLink& link = links[at];
  const Buffer& buffer = buffers_[at];
  const bool second = state_ == State::kHeader1;
  const auto freed = static_cast<std::uint16_t>((buffer.read - buffer.credited) & count_mask_);
  const MpeInfo to{.context_id = static_cast<std::uint8_t>(reply_context_), .link = link.peer_link};
  const auto info = static_cast<std::uint16_t>(to.encode());
  return {.vc = is_reply(Kind::kCredit) ? std::uint8_t{1} : std::uint8_t{0},
          .last = second,
          .data = second ? Header1{slot_, info, freed}.encode()
                         : Header0{Kind::kCredit, link.slot, link.node, node_}.encode()};
}

void MpeStreamBuffers::clock(const Inputs& inputs) {
  const bool told = state_ == State::kHeader1 && inputs.reply_ready;
  // A word read in this very cycle is told of the next time.
  const std::uint32_t told_count = told ? buffers_[place(reply_context_, reply_link_)].read : 0;
  const unsigned due_contexts = due_contexts_;
  const unsigned due_context = lowest_link(due_contexts);
  const unsigned due = due_contexts != 0 ? due_[due_context] : 0;

  const unsigned context = inputs.context & context_mask_;
  take(context, inputs.read);
  for (unsigned links = inputs.tapped; links != 0; links = without_lowest_link(links)) {
    const unsigned link = lowest_link(links);
    write(inputs.taps[link].context, link, inputs.taps[link].data);
  }
  if (held_ || inputs.rx_valid) {
    if (!held_) {
      held_info_ = inputs.rx_info;
      held_data_ = inputs.rx_data;
    }
    const unsigned link = held_info_.link & link_mask_;
    held_ = (inputs.tapped >> link & 1U) != 0;
    if (!held_) write(held_info_.context_id, link, held_data_);
  }

  switch (state_) {
    case State::kIdle:
      if (due_contexts == 0) return;
      reply_context_ = due_context;
      reply_link_ = lowest_link(due) & link_mask_;
      state_ = State::kHeader0;
      break;
    case State::kHeader0:
      if (inputs.reply_ready) state_ = State::kHeader1;
      break;
    case State::kHeader1:
      if (inputs.reply_ready) state_ = State::kIdle;
      break;
  }
  if (told) {
    buffers_[place(reply_context_, reply_link_)].credited = told_count;
    due_[reply_context_] &= ~(1U << reply_link_);
    if (due_[reply_context_] == 0) due_contexts_ &= ~(1U << reply_context_);
  }
}

}  // namespace tidings::cycle
