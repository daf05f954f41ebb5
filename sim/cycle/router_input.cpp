// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/router_input.h"

#include <algorithm>

#include "sim/machine/network_ports.h"

namespace tidings::cycle {

RouterNumbers::RouterNumbers(const NodeParameters& parameters)
    : network_ports(static_cast<std::uint8_t>(tidings::network_ports(parameters))),
      ports(static_cast<std::uint8_t>(network_ports + parameters.num_slots)),
      classes(static_cast<std::uint8_t>(parameters.num_classes)),
      network_vcs(static_cast<std::uint8_t>(parameters.num_classes * (parameters.dateline != 0 ? 2 : 1))),
      vc_shift(static_cast<std::uint8_t>(std::bit_width(network_vcs - 1U))),
      slot0(static_cast<std::uint8_t>(network_ports << vc_shift)),
      lane(static_cast<std::uint16_t>(ports << vc_shift)),
      static_channel(lane),
      tap_channel(static_cast<std::uint16_t>(static_channel + 1)),
      turn_channel(
          static_cast<std::uint16_t>(parameters.turn_cycle != 0 && parameters.dims != 0 ? tap_channel + 1 : 0)) {}

RouterPlan::RouterPlan(const NodeParameters& parameters, const NodePlace& place)
    : numbers(parameters),
      node_shift(std::max(
          3U, static_cast<unsigned>(std::bit_width(unsigned{std::max(numbers.tap_channel, numbers.turn_channel)})))),
      fixed_priority(parameters.fixed_priority != 0),
      pipeline(parameters.router_pipeline != 0),
      buffer_flits(parameters.buffer_flits),
      slot_buffer_flits(parameters.slot_buffer_flits),
      shape(std::make_shared<const RouteShape>(parameters, place)) {
  const bool direct_links = parameters.direct_links != 0;
  channels.resize(std::size_t{1} << node_shift);
  const auto add = [this](unsigned c, std::uint32_t depth, InputChannel::Place channel) {
    channel.ring = words;
    channel.mask = static_cast<std::uint16_t>(depth - 1);
    channel.classes = numbers.classes;
    channel.vc_shift = numbers.vc_shift;
    channels[c] = channel;
    words += depth;
  };
  for (unsigned port = 0; port < numbers.ports; ++port) {
    const bool slot = port >= numbers.network_ports;
    for (unsigned vc = 0; vc < numbers.channels_of(port); ++vc) {
      const unsigned c = numbers.channel(port, vc);
      const auto message_class = static_cast<std::uint8_t>(vc % numbers.classes);
      const bool static_packets = parameters.num_routes != 0 && message_class == 0;
      std::uint8_t neighbour_channel = 0;
      if (direct_links && vc == 0 && c <= numbers.slot0) {
        neighbour_channel = static_cast<std::uint8_t>(slot ? numbers.static_channel : numbers.tap_channel);
      }
      add(c, slot ? slot_buffer_flits : buffer_flits,
          {.dimension = static_cast<std::uint8_t>(slot ? kMaxDims : port / 2),
           .dateline = vc >= numbers.classes,
           .message_class = message_class,
           .static_channel = static_cast<std::uint8_t>(static_packets ? numbers.static_channel : 0),
           .neighbour_channel = neighbour_channel,
           .turn_channel = static_cast<std::uint8_t>(slot ? 0 : numbers.turn_channel),
           .network_ports = numbers.network_ports});
    }
  }
  if (direct_links) add(numbers.lane, slot_buffer_flits, {.dimension = kMaxDims, .lane = true});
}

RouterInputs::RouterInputs(const RouterPlan& plan, const std::vector<NodePlace>& places)
    : plan_(&plan),
      node_shift_(plan.node_shift),
      vc_shift_(plan.numbers.vc_shift),
      waiting_(((places.size() << plan.node_shift) + kWordBits - 1) / kWordBits),
      filled_(places.size()),
      kept_(std::make_unique<std::uint32_t[]>(places.size() << plan.node_shift)),
      channels_(places.size() << plan.node_shift),
      words_(places.size() * plan.words),
      wanting_(channels_.size() >> plan.numbers.vc_shift),
      branching_(places.size()) {
  routes_.reserve(places.size());
  for (const NodePlace& place : places) routes_.emplace_back(plan.shape, place);
}

void RouterInputs::move(std::uint32_t channel, std::uint64_t cycles, const std::uint32_t* in, std::uint32_t* out) {
  InputChannel& input = channels_[channel];
  input.move(place(channel), ring(channel), cycles, in, out);
  const std::uint64_t bit = std::uint64_t{1} << channel % kWordBits;
  std::uint64_t& waiting = waiting_[channel / kWordBits];
  waiting = input.empty() ? waiting & ~bit : waiting | bit;
  filled_.insert(NodeIndex{plan_->node(channel)});
}

void RouterInputs::swap(std::uint32_t first, RouterInputs& other, std::uint32_t others_first, std::uint32_t count) {
  const auto swap_all = [&](auto& ours, auto& theirs, unsigned shift) {
    for (std::uint32_t i = 0; i < count << shift; ++i)
      std::swap(ours[(first << shift) + i], theirs[(others_first << shift) + i]);
  };
  swap_all(channels_, other.channels_, node_shift_);
  swap_all(wanting_, other.wanting_, node_shift_ - vc_shift_);
  swap_all(branching_, other.branching_, 0);
}

void RouterInputs::next(std::uint32_t channel) {
  if (channels_[channel].next(place(channel), ring(channel))) find_way(channel);
}

void RouterInputs::find_way(std::uint32_t channel) {
  const std::uint32_t node = plan_->node(channel);
  channels_[channel].find_way(place(channel), routes_[node]);
  if (channels_[channel].way() == plan_->numbers.static_channel) {
    ++branching_[node];
  } else {
    ++wanting_[wanted_port(channel)];
  }
}

}  // namespace tidings::cycle
