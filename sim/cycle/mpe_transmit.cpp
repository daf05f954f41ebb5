// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_transmit.h"

#include <algorithm>
#include <bit>

namespace tidings::cycle {

MpeTransmit::MpeTransmit(const MpeParameters& parameters, NodeId node, SlotId slot)
    : links_(parameters.links),
      packet_words_(parameters.packet_words),
      credit_mask_(2 * parameters.buffer_words - 1),
      context_mask_(parameters.contexts - 1),
      link_mask_(std::bit_ceil(parameters.links) - 1),
      node_(node),
      slot_(slot),
      block_memory_(std::size_t{2} * parameters.packet_words),
      credits_(std::size_t{parameters.contexts} * kMaxLinks, parameters.buffer_words) {}

Flit MpeTransmit::request_flit(unsigned context, MpeLinks links, std::uint32_t up_data) const {
  const unsigned used = context & context_mask_;
  const MpeLink& link = links[std::size_t{used} * kMaxLinks + link_];
  Flit flit;
  flit.vc = is_reply(Kind::kStream) ? 1 : 0;
  switch (state_) {
    case State::kHeader1:
      flit.data = Header1{slot_, MpeInfo{static_cast<std::uint8_t>(used), link.peer_link}.word(),
                          static_cast<std::uint16_t>(length_)}
                      .word();
      break;
    case State::kPayload:
      flit.data = down_ ? block_memory_[read_ & (block_memory_.size() - 1)] : up_data;
      flit.last = left_ == 1;
      break;
    default:
      flit.data = Header0{Kind::kStream, link.slot, link.node, node_}.word();
      break;
  }
  return flit;
}

void MpeTransmit::change_credit(unsigned context, unsigned link, std::uint32_t difference) {
  if (link >= links_) return;
  std::uint32_t& room = credits_[std::size_t{context & context_mask_} * kMaxLinks + link];
  room = (room + difference) & credit_mask_;
}

bool MpeTransmit::pick(const Inputs& inputs) {
  if (state_ != State::kPick || inputs.stop) return false;
  const std::uint32_t up_words = std::min(inputs.up_count, packet_words_);
  const std::uint32_t down_words = todo_ != 0 ? block_ : std::min(waiting(), packet_words_);
  const std::uint8_t copies = todo_ != 0 ? todo_ : inputs.children;
  const unsigned child = lowest_link(copies);
  const bool up_go = up_words != 0 && credit(inputs.context, inputs.parent) >= up_words;
  const bool down_go = down_words != 0 && credit(inputs.context, child) >= down_words;
  if (!up_go && !down_go) return false;

  // Turns: the direction that did not send last comes first.
  down_ = down_go && !(up_go && down_);
  const unsigned link = down_ ? child : inputs.parent;
  link_ = link & link_mask_;
  length_ = left_ = down_ ? down_words : up_words;
  read_ = base_;
  if (down_) {
    todo_ = without_lowest_link(copies);
    block_ = down_words;
    last_copy_ = todo_ == 0;
  }
  change_credit(inputs.context, link, 0 - length_);
  return true;
}

bool MpeTransmit::clock(const Inputs& inputs) {
  const bool sent = request_valid() && inputs.request_ready;
  bool active = state_ != State::kPick;
  switch (state_) {
    case State::kPick:
      active = pick(inputs);
      if (active) state_ = State::kHeader0;
      break;
    case State::kHeader0:
      if (sent) state_ = State::kHeader1;
      break;
    case State::kHeader1:
      if (sent) state_ = State::kPayload;
      break;
    case State::kPayload:
      if (!sent) break;
      ++read_;
      if (left_-- == 1) {
        state_ = State::kPick;
        if (down_ && last_copy_) base_ += length_;
      }
      break;
  }
  if (inputs.down_push) block_memory_[write_++ & (block_memory_.size() - 1)] = inputs.down_data;
  if (inputs.credit_valid) change_credit(inputs.credit_info.context, inputs.credit_info.link, inputs.credit_count);
  return active;
}

}  // namespace tidings::cycle
