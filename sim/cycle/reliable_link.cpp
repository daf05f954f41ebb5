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
  const std::uint32_t round_trip = 2 * latency + 4;
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
  if (dead_ || go_back_) return now;
  now.again = again_;
  const std::uint8_t credits = waiting_credits();
  now.fresh = !again_ && !full_ && (!queue_.empty() || credits != 0);
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
  const Received got = received();
  if (got.fits) {
    const LinkPayload& payload = content_.payload;
    output.router.flit_valid = payload.flit_valid;
    if (payload.flit_valid) output.router.flit = payload.flit;
    output.router.credits = payload.credit;
  }
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
  output.damaged = frame_valid_ && !got.good;
  output.busy = busy();
  return output;
}

bool ReliableLink::busy() const {
  const bool sender_busy = !dead_ && (!queue_.empty() || waiting_credits() != 0 || base_ != next_ || again_ || full_);
  return sender_busy || frame_valid_ || ack_valid_ || answer_ || refuse_;
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

  const std::uint16_t outstanding = distance(base_, next_);
  const std::uint16_t acknowledged = distance(base_, ack_);
  const bool progress = ack_valid_ && acknowledged != 0 && acknowledged <= outstanding;
  const bool left = progress ? ack_ != next_ : outstanding != 0;
  const bool go_back = left && ((ack_valid_ && resend_) || (!progress && timer_ == parameters_.timeout));
  const auto sent = static_cast<std::uint16_t>((send_ + (now.numbered() ? 1 : 0)) & kSequenceMask);
  const bool jump = go_back_ || skip_;
  const bool again = go_back_ || (again_ && (skip_ ? outstanding != 0 : sent != next_));
  full_ = outstanding + (now.fresh ? 1U : 0U) >= parameters_.window;
  skip_ = progress && (jump || (again_ && acknowledged > distance(base_, send_) + 1));
  send_ = jump ? base_ : sent;
  again_ = again;
  go_back_ = go_back;
  if (progress) base_ = ack_;
  if (now.fresh) next_ = static_cast<std::uint16_t>((next_ + 1) & kSequenceMask);
  timer_ = progress || go_back || outstanding == 0 ? 0 : timer_ + 1;
  const bool last_retry = retries_ == parameters_.max_retries - 1;
  if (progress) {
    retries_ = 0;
  } else if (go_back && !dead_) {
    ++retries_;
    if (last_retry) dead_ = true;
  }
}

ReliableLink::Received ReliableLink::received() const {
  Received got{.good = frame_valid_ && frame_whole_};
  got.missing = frame_valid_ && !got.good;
  if (got.good && content_.numbered) {
    const std::uint16_t ahead = distance(expected_, content_.number);
    got.fits = ahead == 0;
    got.missing = ahead != 0 && ahead <= kSequenceMask >> 1;
  }
  return got;
}

void ReliableLink::clock_receiver(const PackedFrame* frame, bool answered) {
  const Received got = received();
  ack_valid_ = got.good;
  if (got.good) {
    ack_ = content_.ack;
    resend_ = content_.resend;
  }
  if (got.fits) expected_ = static_cast<std::uint16_t>((expected_ + 1) & kSequenceMask);
  answer_ = (got.good && content_.numbered) || (answer_ && !answered);
  refuse_ = (got.missing && !waiting_) || (refuse_ && !got.fits && !answered);
  waiting_ = !got.fits && (got.missing || waiting_);
  frame_valid_ = frame != nullptr;
  frame_whole_ = frame != nullptr && frame->check == link_check(frame->content);
  if (frame_whole_) content_ = LinkContent::decode(frame->content);
}

}  // namespace tidings::cycle
