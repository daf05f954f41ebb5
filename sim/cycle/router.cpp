// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/router.h"

#include <algorithm>

namespace tidings::cycle {

std::uint32_t static_flits(const NodeParameters& parameters) {
  constexpr std::uint32_t kLongest = 68;  // 64 words of payload with their headers
  return std::min(parameters.buffer_flits, kLongest);
}

Router::Router(const NodeParameters& parameters, const NodePlace& place)
    : route_(parameters, place),
      vc_shift_(
          static_cast<std::uint8_t>(std::bit_width(parameters.num_classes * (parameters.dateline != 0 ? 2 : 1) - 1))),
      network_ports_(static_cast<std::uint8_t>(2 * parameters.dims)),
      network_vcs_(static_cast<std::uint8_t>(parameters.num_classes * (parameters.dateline != 0 ? 2 : 1))),
      classes_(static_cast<std::uint8_t>(parameters.num_classes)),
      fixed_priority_(parameters.fixed_priority != 0),
      ports_(static_cast<std::uint8_t>(network_ports_ + parameters.num_slots)),
      static_channel_(static_cast<std::uint8_t>(ports_ << vc_shift_)),
      tap_channel_(static_cast<std::uint8_t>(static_channel_ + 1)),
      slot0_(static_cast<std::uint8_t>(network_ports_ << vc_shift_)),
      lane_(static_channel_),
      direct_links_(parameters.direct_links != 0),
      pipeline_(parameters.router_pipeline != 0),
      static_flits_(static_flits(parameters)),
      table_(parameters.num_routes, ports_) {
  const unsigned ports = ports_;
  const std::size_t channels = std::size_t{ports} << vc_shift_;
  inputs_.resize(channels + (direct_links_ ? 1 : 0));
  outputs_.resize(channels + 2);
  statics_.assign(inputs_.size(), StaticRoute(pipeline_));
  words_.resize(std::size_t{network_ports_} * network_vcs_ * parameters.buffer_flits +
                (std::size_t{parameters.num_slots} * classes_ + (direct_links_ ? 1 : 0)) *
                    parameters.slot_buffer_flits);
  BufferedWord* words = words_.data();
  for (unsigned port = 0; port < ports; ++port) {
    const bool slot = port >= network_ports_;
    const std::uint32_t depth = slot ? parameters.slot_buffer_flits : parameters.buffer_flits;
    for (unsigned vc = 0; vc < channels_of(port); ++vc) {
      const unsigned c = channel(port, vc);
      const auto message_class = static_cast<std::uint8_t>(vc % classes_);
      std::uint8_t neighbour_channel = 0;
      if (direct_links_ && vc == 0 && c <= slot0_) neighbour_channel = slot ? static_channel_ : tap_channel_;
      inputs_[c] = InputChannel(
          words, depth,
          {.dimension = slot ? static_cast<unsigned>(kMaxDims) : port / 2,
           .dateline = vc >= classes_,
           .message_class = message_class,
           .classes = classes_,
           .vc_shift = vc_shift_,
           .static_channel = parameters.num_routes != 0 && message_class == 0 ? static_channel_ : std::uint8_t{0},
           .neighbour_channel = neighbour_channel});
      outputs_[c].credits = depth;
      words += depth;
    }
  }
  if (direct_links_) {
    inputs_[lane_] = InputChannel(words, parameters.slot_buffer_flits,
                                  {.dimension = kMaxDims, .classes = classes_, .vc_shift = vc_shift_, .lane = true});
  }
  for (unsigned port = 0; port < ports; ++port) {
    if (port >= network_ports_) {
      linked_ |= 1U << port;
      continue;
    }
    const unsigned d = port / 2;
    const unsigned width = kNodeIdWidth / parameters.dims;
    const unsigned here = place.node_id >> (d * width) & ((1U << width) - 1);
    const bool edge = port % 2 == 0 ? here + 1 == place.radix[d] : here == 0;
    if (edge) wraps_ |= 1U << port;
    if (!edge || place.wrap[d]) linked_ |= 1U << port;
  }
}

unsigned Router::branch_channel(unsigned c, unsigned port) const {
  const unsigned from = c >> vc_shift_;
  const bool stays = port < network_ports_ && from / 2 == port / 2 && c % (1U << vc_shift_) >= classes_;
  const bool over_wrap = (wraps_ >> port & 1U) != 0 && !(adjacent_ && c == slot0_);
  const bool behind = network_vcs_ > classes_ && (stays || over_wrap);
  return channel(port, behind ? classes_ : 0);
}

std::vector<Router::Branch> Router::branches(unsigned port, unsigned vc, const RouteEntry& entry) const {
  const unsigned c = channel(port, vc);
  const std::uint32_t may = entry.switched ? linked_ : linked_ & turns(c);
  std::vector<Branch> list;
  for (std::uint32_t rest = entry.ports & may; rest != 0; rest &= rest - 1) {
    const auto out = static_cast<unsigned>(std::countr_zero(rest));
    list.push_back({.port = static_cast<std::uint8_t>(out),
                    .channel = static_cast<std::uint8_t>(branch_channel(c, out) - channel(out, 0))});
  }
  return list;
}

StaticRoute::Outputs Router::branch_outputs(unsigned c) const {
  StaticRoute::Outputs outputs;
  for (unsigned port = 0; port < ports_; ++port) {
    const OutputChannel& output = outputs_[branch_channel(c, port)];
    const std::uint32_t bit = 1U << port;
    if (!output.taken) outputs.free |= bit;
    if (output.credits != 0) outputs.credit |= bit;
    // A slot takes all words in the end.
    if (port >= network_ports_ || output.credits >= static_flits_) outputs.room |= bit;
  }
  return outputs;
}

std::uint32_t Router::turns(unsigned c) const {
  const unsigned from = c >> vc_shift_;
  if (from >= network_ports_) return ~0U;
  const std::uint32_t straight = 1U << (from ^ 1U);
  const std::uint32_t higher = ~0U << (2 * (from / 2) + 2);
  const bool behind = c % (1U << vc_shift_) >= classes_;
  return higher | (behind ? straight & ~wraps_ : straight);
}

bool Router::serve_neighbour(unsigned c) {
  if (c != slot0_) return false;
  const std::uint32_t header = inputs_[c].front().data;
  adjacent_ = direct_links_ && header0_kind(header) == Kind::kNeighbour;
  if (!adjacent_) return false;
  const std::uint32_t ports = neighbour_header(header).ports & ((1U << network_ports_) - 1);
  if (statics_[c].serve({.ports = ports, .switched = false}, linked_, turns(c))) refused_ = true;
  return true;
}

std::uint8_t Router::choose_lookup() {
  std::uint8_t chosen = kNone;
  unsigned best = kRound;
  for (unsigned c = 0; c < inputs_.size(); ++c) {
    const bool waits = (waiting_[c / kWordBits] >> c % kWordBits & 1U) != 0;
    const unsigned place = (c - first_reader_) % kRound;
    if (!waits || !asks(c) || place >= best) continue;
    chosen = static_cast<std::uint8_t>(c);
    best = place;
  }
  if (chosen != kNone) first_reader_ = static_cast<std::uint8_t>(chosen + 1);
  return chosen;
}

void Router::serve_lookup(unsigned c) {
  const std::uint32_t route = inputs_[c].front().data >> 12 & 0x3fU;
  if (statics_[c].serve(table_.look_up(route), linked_, turns(c))) refused_ = true;
}

void Router::serve_lookup() {
  if (!pipeline_) {
    serve_lookup(choose_lookup());
    return;
  }
  if (looking_ != kNone) serve_lookup(looking_);
  looking_ = choose_lookup();
}

}  // namespace tidings::cycle
