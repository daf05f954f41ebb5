// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/reliable_wires.h"

#include <cmath>
#include <utility>

#include "sim/machine/link_error.h"

namespace tidings::cycle {

ReliableWires::ReliableWires(const Options& options, std::vector<std::uint32_t> peers,
                             std::function<std::string(std::uint32_t)> name)
    : options_(options), peers_(std::move(peers)), name_(std::move(name)) {
  ends_.reserve(peers_.size());
  for (std::uint32_t e = 0; e < peers_.size(); ++e) {
    ends_.emplace_back(options.link);
    std::seed_seq seed{static_cast<std::uint32_t>(options.seed), static_cast<std::uint32_t>(options.seed >> 32), e};
    ends_.back().random.seed(seed);
    ends_.back().good_bits = draw_good_bits(ends_.back());
  }
}

void ReliableWires::close(Cycle due) { now_ = Cycle{due.value + 1 - options_.latency}; }

std::optional<Cycle> ReliableWires::next() const {
  for (const End& end : ends_) {
    if (end.active) return now_;
  }
  if (wire_.empty()) return std::nullopt;
  return wire_.front().due;
}

PortOutput ReliableWires::show(std::uint32_t end, Cycle cycle) {
  const LinkOutput shown = ends_[end].link.outputs();
  if (shown.frame_valid) {
    PackedFrame frame = shown.frame;
    damage(ends_[end], frame);
    wire_.push_back({.due = cycle + (options_.latency - 1), .end = peers_[end], .frame = frame});
  }
  resent_frames_ += shown.resent ? 1 : 0;
  damaged_frames_ += shown.damaged ? 1 : 0;
  return shown.router;
}

void ReliableWires::clock(Cycle cycle) {
  for (; !wire_.empty() && wire_.front().due == cycle; wire_.pop_front()) {
    End& end = ends_[wire_.front().end];
    end.frame = wire_.front().frame;
    end.active = true;
  }
  for (std::uint32_t e = 0; e < ends_.size(); ++e) {
    End& end = ends_[e];
    if (!end.active) continue;
    end.link.clock(end.router, end.frame ? &*end.frame : nullptr);
    end.router = {};
    end.frame.reset();
    end.active = end.link.busy();
    if (!end.link.dead()) continue;
    throw LinkError("the link from " + name_(e) + " to " + name_(peers_[e]) + " is dead: in cycle " +
                    std::to_string(cycle.value) + " nothing had been acknowledged although all was sent again " +
                    std::to_string(options_.link.max_retries) + " times");
  }
}

void ReliableWires::damage(End& end, PackedFrame& frame) {
  for (; end.good_bits < Frame::kWidth; end.good_bits += 1 + draw_good_bits(end)) {
    if (end.good_bits < kCheckWidth) {
      frame.check = static_cast<std::uint16_t>(frame.check ^ 1U << end.good_bits);
    } else {
      frame.content ^= std::uint64_t{1} << (end.good_bits - kCheckWidth);
    }
  }
  end.good_bits -= Frame::kWidth;
}

std::uint64_t ReliableWires::draw_good_bits(End& end) {
  constexpr std::uint64_t kNever = std::uint64_t{1} << 62;
  if (options_.bit_error_rate <= 0) return kNever;
  const double uniform = static_cast<double>(end.random() >> 11) * 0x1p-53;
  const double bits = std::floor(std::log1p(-uniform) / std::log1p(-options_.bit_error_rate));
  return bits < static_cast<double>(kNever) ? static_cast<std::uint64_t>(bits) : kNever;
}

}  // namespace tidings::cycle
