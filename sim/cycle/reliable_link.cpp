// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/reliable_link.h"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>

namespace tidings::cycle {

LinkParameters link_parameters(std::uint32_t latency, std::uint32_t buffer_flits) {
  constexpr std::uint32_t kMaxWindow = 1U << (kSequenceWidth - 1);
  constexpr std::uint32_t kMaxRetries = 16;
  const std::uint32_t round_trip = 2 * latency + 2;
  return {.queue_flits = buffer_flits,
          .window = std::min(std::bit_ceil(round_trip), kMaxWindow),
          .timeout = round_trip + 16,
          .max_retries = kMaxRetries};
}

ReliableLink::ReliableLink(const LinkParameters& parameters)
    : parameters_(parameters), queue_(std::max(2U, std::bit_ceil(parameters.queue_flits))), window_(parameters.window) {
  constexpr std::uint32_t kMaxWindow = 1U << (kSequenceWidth - 1);
  if (parameters.window < 2 || parameters.window > kMaxWindow || !std::has_single_bit(parameters.window)) {
    throw std::invalid_argument("window of a link must be a power of two from 2 to " + std::to_string(kMaxWindow) +
                                ", not " + std::to_string(parameters.window));
  }
  if (parameters.timeout == 0 || parameters.max_retries == 0) {
    throw std::invalid_argument("timeout and retries of a link must be at least 1");
  }
}

std::uint8_t ReliableLink::waiting_credits() const {
  std::uint8_t waiting = 0;
  for (unsigned v = 0; v < kChannels; ++v) waiting |= static_cast<std::uint8_t>((credits_[v] != 0 ? 1U : 0U) << v);
  return waiting;
}

ReliableLink::Sending ReliableLink::sending() const {
  Sending now;
  const std::uint16_t acknowledged = distance(base_, ack_);
  now.progress = ack_valid_ && acknowledged != 0 && acknowledged <= distance(base_, next_);
  now.base = now.progress ? ack_ : base_;
  now.go_back = now.base != next_ && ((ack_valid_ && resend_) || (!now.progress && timer_ == parameters_.timeout));
  if (dead_ || now.go_back) return now;
  now.again = send_ != next_;
  const std::uint8_t credits = waiting_credits();
  now.fresh = !now.again && distance(base_, next_) < parameters_.window && (!queue_.empty() || credits != 0);
  if (now.again) {
    now.payload = window_[send_ & (parameters_.window - 1)];
  } else if (now.fresh) {
    if (!queue_.empty()) {
      now.payload.flit_valid = true;
      now.payload.flit = queue_.front();
    }
    now.payload.credit = credits;
  }
  return now;
}

LinkOutput ReliableLink::outputs() const {
  const Sending now = sending();
  LinkOutput output;
  output.router = delivered_;
  output.frame_valid = !dead_ && (now.numbered() || answer_ || refuse_);
  if (output.frame_valid) {
    LinkContent fields{.ack = expected_, .resend = refuse_};
    if (now.numbered()) {
      fields.numbered = true;
      fields.number = send_;
      fields.payload = now.payload;
    }
    const std::uint64_t content = fields.encode();
    output.frame = {.content = content, .check = link_check(content)};
  }
  output.dead = dead_;
  output.resent = now.again;
  output.damaged = damaged_;
  output.busy = busy();
  return output;
}

bool ReliableLink::busy() const {
  const bool sender_busy = !dead_ && (!queue_.empty() || waiting_credits() != 0 || base_ != next_);
  return sender_busy || delivered_.flit_valid || delivered_.credits != 0 || ack_valid_ || answer_ || refuse_ ||
         damaged_;
}

void ReliableLink::clock(const PortOutput& router, const PackedFrame* frame) {
  const Sending now = sending();
  const bool answered = !dead_ && (now.numbered() || answer_ || refuse_);
  clock_sender(now, router);
  clock_receiver(frame, answered);
}

void ReliableLink::clock_sender(const Sending& now, const PortOutput& router) {
  if (now.fresh) {
    window_[next_ & (parameters_.window - 1)] = now.payload;
    if (now.payload.flit_valid) queue_.pop();
  }
  for (unsigned v = 0; v < kChannels; ++v) {
    const bool given = (router.credits >> v & 1U) != 0;
    const bool sent = now.fresh && credits_[v] != 0;
    if (given && !sent) ++credits_[v];
    if (sent && !given) --credits_[v];
  }
  if (router.flit_valid) queue_.push(router.flit);

  const bool was_idle = base_ == next_;
  const auto next = static_cast<std::uint16_t>((next_ + (now.fresh ? 1 : 0)) & kSequenceMask);
  auto send = static_cast<std::uint16_t>((send_ + (now.numbered() ? 1 : 0)) & kSequenceMask);
  if (now.go_back || distance(send, next) > distance(now.base, next)) send = now.base;
  base_ = now.base;
  send_ = send;
  next_ = next;
  timer_ = now.progress || now.go_back || was_idle ? 0 : timer_ + 1;
  const bool last_retry = retries_ == parameters_.max_retries - 1;
  if (now.progress) {
    retries_ = 0;
  } else if (now.go_back && !dead_) {
    ++retries_;
    if (last_retry) dead_ = true;
  }
}

void ReliableLink::clock_receiver(const PackedFrame* frame, bool answered) {
  const bool good = frame != nullptr && frame->check == link_check(frame->content);
  const LinkContent content = good ? LinkContent::decode(frame->content) : LinkContent{};
  const bool numbered = content.numbered;
  bool fits = false;
  bool missing = frame != nullptr && !good;
  if (numbered) {
    const std::uint16_t ahead = distance(expected_, content.number);
    fits = ahead == 0;
    missing = ahead != 0 && ahead <= kSequenceMask >> 1;
  }
  delivered_ = {};
  if (fits) {
    const LinkPayload& payload = content.payload;
    delivered_.flit_valid = payload.flit_valid;
    if (payload.flit_valid) delivered_.flit = payload.flit;
    delivered_.credits = payload.credit;
    expected_ = static_cast<std::uint16_t>((expected_ + 1) & kSequenceMask);
  }
  ack_valid_ = good;
  if (good) {
    ack_ = content.ack;
    resend_ = content.resend;
  }
  damaged_ = frame != nullptr && !good;
  answer_ = numbered || (answer_ && !answered);
  refuse_ = (missing && !waiting_) || (refuse_ && !fits && !answered);
  waiting_ = !fits && (missing || waiting_);
}

}  // namespace tidings::cycle
