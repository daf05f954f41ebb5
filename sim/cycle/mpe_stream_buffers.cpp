// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/mpe_stream_buffers.h"

#include <bit>

namespace tidings::cycle {

MpeStreamBuffers::MpeStreamBuffers(std::uint32_t links, std::uint32_t words, NodeId node, SlotId slot)
    : words_(words),
      count_mask_(2 * words - 1),
      link_mask_(std::bit_ceil(links) - 1),
      node_(node),
      slot_(slot),
      memory_(std::size_t{link_mask_ + 1} * words) {}

Flit MpeStreamBuffers::reply_flit(std::span<const MpeLink> links) const {
  const MpeLink& link = links[reply_link_];
  const Buffer& buffer = buffers_[reply_link_];
  const bool second = state_ == State::kHeader1;
  const auto freed = static_cast<std::uint16_t>((buffer.read - buffer.credited) & count_mask_);
  return {.data = second ? Header1{slot_, link.peer_link, freed}.word()
                         : Header0{Kind::kCredit, link.slot, link.node, node_}.word(),
          .vc = is_reply(Kind::kCredit) ? std::uint8_t{1} : std::uint8_t{0},
          .last = second};
}

void MpeStreamBuffers::clock(const Inputs& inputs) {
  const bool told = state_ == State::kHeader1 && inputs.reply_ready;
  // A word read in this very cycle is told of the next time.
  const std::uint32_t told_count = buffers_[reply_link_].read;
  const unsigned due = due_;

  for (unsigned links = inputs.read; links != 0; links = without_lowest_link(links)) {
    const unsigned link = lowest_link(links);
    Buffer& buffer = buffers_[link];
    buffer.data = word(link, buffer.read);
    buffer.read = (buffer.read + 1) & count_mask_;
    if (((buffer.read - buffer.credited) & count_mask_) >= words_ / 4) due_ |= 1U << link;
  }
  if (inputs.rx_valid) {
    const unsigned link = inputs.rx_link & link_mask_;
    Buffer& buffer = buffers_[link];
    word(link, buffer.write) = inputs.rx_data;
    buffer.write = (buffer.write + 1) & count_mask_;
  }

  switch (state_) {
    case State::kIdle:
      reply_link_ = lowest_link(due) & link_mask_;
      if (due != 0) state_ = State::kHeader0;
      break;
    case State::kHeader0:
      if (inputs.reply_ready) state_ = State::kHeader1;
      break;
    case State::kHeader1:
      if (inputs.reply_ready) state_ = State::kIdle;
      break;
  }
  if (told) {
    buffers_[reply_link_].credited = told_count;
    due_ &= ~(1U << reply_link_);
  }
}

}  // namespace tidings::cycle
