// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_transmit.h"

#include <algorithm>
#include <bit>

namespace tidings::cycle {

MpeTransmit::MpeTransmit(std::uint32_t links, std::uint32_t buffer_words, std::uint32_t packet_words, NodeId node,
                         SlotId slot)
    : links_(links),
      packet_words_(packet_words),
      credit_mask_(2 * buffer_words - 1),
      link_mask_(std::bit_ceil(links) - 1),
      node_(node),
      slot_(slot),
      block_memory_(std::size_t{2} * packet_words),
      credits_(link_mask_ + 1, buffer_words) {}

Flit MpeTransmit::request_flit(std::span<const MpeLink> links, std::uint32_t up_data) const {
  Flit flit;
  flit.vc = is_reply(Kind::kStream) ? 1 : 0;
  switch (state_) {
    case State::kHeader1:
      flit.data = Header1{slot_, links[link_].peer_link, static_cast<std::uint16_t>(length_)}.word();
      break;
    case State::kPayload:
      flit.data = down_ ? block_memory_[read_ & (block_memory_.size() - 1)] : up_data;
      flit.last = left_ == 1;
      break;
    default:
      flit.data = Header0{Kind::kStream, links[link_].slot, links[link_].node, node_}.word();
      break;
  }
  return flit;
}

void MpeTransmit::change_credit(unsigned link, std::uint32_t difference) {
  if (link < links_) credits_[link] = (credits_[link] + difference) & credit_mask_;
}

bool MpeTransmit::pick(const Inputs& inputs) {
  if (state_ != State::kPick || inputs.stop) return false;
  const std::uint32_t up_words = std::min(inputs.up_count, packet_words_);
  const std::uint32_t down_words = todo_ != 0 ? block_ : std::min(waiting(), packet_words_);
  const std::uint8_t copies = todo_ != 0 ? todo_ : inputs.children;
  const unsigned child = lowest_link(copies);
  const bool up_go = up_words != 0 && credits_[inputs.parent & link_mask_] >= up_words;
  const bool down_go = down_words != 0 && credits_[child & link_mask_] >= down_words;
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
  change_credit(link, 0 - length_);
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
  if (inputs.credit_valid) change_credit(inputs.credit_link, inputs.credit_count);
  return active;
}

}  // namespace tidings::cycle
