// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_transmit.h"

#include <algorithm>
#include <bit>

namespace tidings::cycle {

MpeTransmit::MpeTransmit(const MpeParameters& parameters, NodeId node, SlotId slot)
    : packet_words_(parameters.node.mpe_packet_words),
      forward_words_(parameters.node.mpe_forward_words),
      multicast_(parameters.multicast),
      context_mask_(parameters.node.mpe_contexts - 1),
      link_mask_(std::bit_ceil(parameters.node.mpe_links) - 1),
      node_(node),
      slot_(slot),
      block_memory_(std::size_t{2} * parameters.node.mpe_packet_words) {}

Flit MpeTransmit::request_flit(unsigned context, MpeLinks links, std::uint32_t up_data) const {
  const unsigned used = context & context_mask_;
  const MpeLink& link = links[std::size_t{used} * kMaxLinks + (lowest_link(links_) & link_mask_)];
  const MpeInfo to{.context_id = static_cast<std::uint8_t>(used), .link = link.peer_link};
  const auto info = static_cast<std::uint16_t>(to.encode());
  Flit flit;
  flit.vc = is_reply(Kind::kStream) ? 1 : 0;
  switch (state_) {
    case State::kHeader1:
      flit.data = Header1{slot_, info, static_cast<std::uint16_t>(length_)}.encode();
      break;
    case State::kPayload:
      flit.data = down_ ? block_memory_[read_ & (block_memory_.size() - 1)] : up_data;
      flit.last = left_ == 1;
      break;
    default:
      flit.data = direct_ ? NeighbourHeader{.kind = Kind::kNeighbour,
                                            .context_id = static_cast<std::uint8_t>(used),
                                            .ports = static_cast<std::uint16_t>(links_),
                                            .length = static_cast<std::uint16_t>(length_)}
                                .encode()
                          : Header0{Kind::kStream, link.slot, link.node, node_}.encode();
      break;
  }
  return flit;
}

bool MpeTransmit::pick(const Inputs& inputs, MpeCredits& credits) {
  if (state_ != State::kPick || inputs.stop) return false;
  const std::uint32_t up_words = std::min(inputs.up_count, packet_words_);
  const bool up_enough = inputs.up_complete ? up_words != 0 : up_words >= forward_words_;
  const bool up_go = up_enough && credits.room(inputs.context, inputs.parent) >= up_words;

  const bool under_way = todo_ != 0;
  const std::uint32_t down_words =
      under_way ? block_ : std::min(forward_words_ == 1 ? waiting() + inputs.down_coming : waiting(), packet_words_);
  const bool down_enough = under_way || (inputs.down_complete ? down_words != 0 : down_words >= forward_words_);
  const unsigned copies = under_way ? todo_ : inputs.children;
  unsigned next_copies = copies & (~copies + 1);
  if (multicast_ && (next_copies & inputs.direct) != 0) next_copies = copies & inputs.direct;
  bool down_go = down_enough;
  for (unsigned rest = next_copies; rest != 0; rest = without_lowest_link(rest)) {
    down_go = down_go && credits.room(inputs.context, lowest_link(rest)) >= down_words;
  }
  if (!up_go && !down_go) return false;

  // Turns: the direction that did not send last comes first.
  down_ = down_go && !(up_go && down_);
  links_ = down_ ? next_copies : link_bit(inputs.parent);
  direct_ = down_ && (links_ & inputs.direct) != 0;
  length_ = left_ = down_ ? down_words : up_words;
  read_ = base_;
  if (down_) {
    todo_ = static_cast<std::uint8_t>(copies & ~next_copies);
    block_ = down_words;
    last_copy_ = todo_ == 0;
  }
  credits.take(inputs.context, links_, length_);
  return true;
}

bool MpeTransmit::clock(const Inputs& inputs, MpeCredits& credits) {
  const bool sent = request_valid(inputs.stopped) && inputs.request_ready;
  bool active = state_ != State::kPick;
  switch (state_) {
    case State::kPick:
      active = pick(inputs, credits);
      if (active) state_ = State::kHeader0;
      break;
    case State::kHeader0:
      if (sent) state_ = direct_ ? State::kPayload : State::kHeader1;
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
  return active;
}

}  // namespace tidings::cycle
