// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/traffic/worm_part.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace tidings::traffic {
namespace {

/// Input channels of a router are bits of a word.
constexpr unsigned kMostChannelBits = 6;

/// Packets of which a flit is in a buffer, or will be next: the last flit of one, whole ones, the first of one, and one
/// whose flits come later. A power of two.
std::uint32_t most_packets(std::uint32_t buffer_flits, std::uint32_t packet_flits) {
  return std::bit_ceil(buffer_flits / packet_flits + 3);
}

}  // namespace

bool WormPart::suits(const TrafficConfig& config) {
  const NodeParameters parameters = node_parameters(config);
  if (!has_equal_links(config.machine)) return false;
  if (parameters.router_pipeline != 0 || parameters.turn_cycle != 0 || parameters.crosspoint != 0) return false;
  return cycle::RouterPlan(parameters, Topology(config.machine.topology).place(NodeIndex{0})).node_shift <=
         kMostChannelBits;
}

WormPart::WormPart(const TrafficConfig& config, const Topology& topology, const Destinations& destinations,
                   Ledger::Window window)
    : Part(config, topology, destinations, window, cycle::slices(topology.nodes(), 1), 0),
      plan_(node_parameters(config), topology.place(NodeIndex{0})),
      packet_flits_(config.packet_flits),
      slots_(topology.slots()),
      latency_(config.machine.link.latency_cycles),
      channel_mask_((1U << plan_.node_shift) - 1),
      packet_room_(most_packets(std::max(plan_.buffer_flits, plan_.slot_buffer_flits), packet_flits_)),
      sources_from_(topology.nodes() << plan_.node_shift),
      channels_(std::size_t{topology.nodes() + topology.endpoints()} << plan_.node_shift),
      packets_(channels_.size() * packet_room_),
      ports_(channels_.size() >> plan_.numbers.vc_shift),
      far_ends_(channels_.size(), kNone),
      taken_(channels_.size()),
      queues_(std::size_t{topology.endpoints()} * plan_.numbers.classes),
      sinks_(topology.endpoints()),
      due_(ports_.size()) {
  if (!suits(config)) throw std::invalid_argument("traffic that has to be simulated flit by flit");
  const cycle::RouterNumbers& numbers = plan_.numbers;
  for (std::uint32_t i = 0; i < topology.nodes(); ++i) {
    const NodeIndex node{i};
    routes_.emplace_back(plan_.shape, topology.place(node));
    const std::uint32_t first = plan_.first_channel(i);
    for (std::uint8_t port = 0; port < numbers.network_ports; ++port) {
      const auto link = topology.neighbour(node, PortId{port});
      for (unsigned vc = 0; vc < numbers.network_vcs && link; ++vc) {
        const std::uint32_t output = first + numbers.channel(port, vc);
        const std::uint32_t input = plan_.first_channel(link->node.value) + numbers.channel(link->port.value, vc);
        far_ends_[output] = input;
        channels_[input].depth = plan_.buffer_flits;
        channels_[input].sender = port_of(output);
      }
    }
    for (std::uint32_t s = 0; s < topology.slots() && i < topology.hosts(); ++s) {
      const std::uint32_t endpoint = i * topology.slots() + s;
      const std::uint32_t source = sources_from_ + plan_.first_channel(endpoint);
      for (unsigned c = 0; c < numbers.classes; ++c) {
        const std::uint32_t channel = first + numbers.channel(numbers.network_ports + s, c);
        channels_[channel].depth = plan_.slot_buffer_flits;
        channels_[channel].sender = port_of(source);
        channels_[source + c].depth = kNone;
        far_ends_[source + c] = channel;
        sinks_[endpoint].port = port_of(channel);
      }
    }
  }
  if (latency_ > 1) seen_ = channels_;
}

void WormPart::create(std::uint32_t number, std::uint32_t destination, std::uint8_t message_class) {
  accounts().created(packet_flits_);
  const Cycle now = accounts().now;
  const std::uint32_t channel = sources_from_ + plan_.first_channel(number) + message_class;
  queue(channel).push(accounts().waiting(), {.created = now, .destination = destination});
  if (channels_[channel].packets != 0) return;
  push_waiting(channel);
  const std::uint32_t port = port_of(channel);
  if (ports_[port].mover == kNone) {
    // What comes into a router in a cycle has left its source in the one before, for which no choice is left to make.
    choose(port, Cycle{now.value - 1});
  } else {
    look_after(port, now, 0);
  }
}

void WormPart::run(Cycle end) {
  Cycle& now = accounts().now;
  while (now < end) {
    create_due();
    if (due_.next(now) == 0 || (!on_links_.empty() && on_links_.front().cycle == now)) step(now);
    ++now;
    const std::uint64_t pause = due_.next(now);
    Cycle next = pause == DueCalendar::kHorizon ? Cycle::max() : now + pause;
    if (!on_links_.empty()) next = std::min(next, on_links_.front().cycle);
    now = std::max(now, std::min({end, sources().next(), next}));
  }
  for (Sink& sink : sinks_) {
    if (ports_[sink.port].mover != kNone) arrive(sink, end);
  }
}

std::uint64_t WormPart::link_flits(NodeIndex node, PortId port) const {
  const Port& output = ports_[port_of(plan_.first_channel(node.value) + plan_.numbers.channel(port.value, 0))];
  return output.flits + (output.mover == kNone ? 0 : ledger().now - output.since);
}

// All that it calls is small.
[[gnu::flatten]] void WormPart::step(Cycle t) {
  due_.for_each(t, [&](std::uint32_t port) { end_port(port, t); });
  for (; !on_links_.empty() && on_links_.front().cycle == t; on_links_.pop()) receive(on_links_.front(), t);
  due_.for_each(t, [&](std::uint32_t port) { choose(port, t); });
  due_.clear(t);
}

std::uint32_t WormPart::way(std::uint32_t channel, std::uint32_t header) const {
  if (is_source(channel)) return channel;
  const unsigned within = plan_.within(channel);
  cycle::InputChannel head;
  head.push_front({.data = header, .last = false});
  head.find_way(plan_.channels[within], routes_[plan_.node(channel)]);
  return channel - within + head.wanted();
}

void WormPart::push(std::uint32_t channel, std::uint32_t header) {
  Channel& c = channels_[channel];
  packets_[std::size_t{channel} * packet_room_ + ((c.oldest + c.packets) & (packet_room_ - 1))] = {
      .header = header, .wanted = way(channel, header)};
  if (c.packets++ == 0) open(channel);
}

void WormPart::push_waiting(std::uint32_t channel) {
  push(channel, header(source_of_channel(channel), queue(channel).front(accounts().waiting()).destination));
  channels_[channel].flits = packet_flits_;
}

void WormPart::open(std::uint32_t channel) {
  channels_[channel].left = packet_flits_;
  ports_[port_of(oldest(channel).wanted)].waiting |= std::uint64_t{1} << plan_.within(channel);
}

void WormPart::start_in(std::uint32_t channel, const std::uint32_t* header, Cycle t) {
  if (header != nullptr) push(channel, *header);
  Channel& c = channels_[channel];
  settle(c, t);
  c.in = true;
  if (c.flits == 0) look_after(port_of(oldest(channel).wanted), t, 1);
}

void WormPart::stop_in(std::uint32_t channel, Cycle t) {
  Channel& c = channels_[channel];
  settle(c, t);
  c.in = false;
  // It may be empty before the packet that leaves it is complete.
  if (c.out) look_after(port_of(oldest(channel).wanted), t, c.flits);
}

void WormPart::start_credits(Channel& channel, Cycle t) {
  settle(channel, t);
  channel.out = true;
  if (channel.flits == channel.depth) look_after(channel.sender, t, 1);
}

void WormPart::stop_credits(Channel& channel, Cycle t) {
  settle(channel, t);
  channel.out = false;
  if (channel.in) look_after(channel.sender, t, channel.depth - channel.flits);
}

void WormPart::start_out(std::uint32_t channel, Cycle t) {
  if (!is_far(channel)) return start_credits(channels_[channel], t);
  settle(channels_[channel], t);
  channels_[channel].out = true;
  send({.channel = channel, .kind = Message::Kind::kCredits}, t);
}

void WormPart::stop_out(std::uint32_t channel, Cycle t) {
  if (!is_far(channel)) return stop_credits(channels_[channel], t);
  settle(channels_[channel], t);
  channels_[channel].out = false;
  send({.channel = channel, .kind = Message::Kind::kCreditsEnd}, t);
}

void WormPart::send(const Message& message, Cycle t) {
  on_links_.reserve(1);
  on_links_.push(message);
  on_links_.back().cycle = t + (latency_ - 1);
}

void WormPart::receive(const Message& message, Cycle t) {
  switch (message.kind) {
    case Message::Kind::kFlits:
      return start_in(message.channel, nullptr, t);
    case Message::Kind::kHead:
      return start_in(message.channel, &message.header, t);
    case Message::Kind::kFlitsEnd:
      return stop_in(message.channel, t);
    case Message::Kind::kCredits:
      return start_credits(seen_[message.channel], t);
    case Message::Kind::kCreditsEnd:
      return stop_credits(seen_[message.channel], t);
  }
}

void WormPart::end_port(std::uint32_t number, Cycle t) {
  Port& port = ports_[number];
  if (port.mover == kNone) return;
  const std::uint32_t channel = port.mover;
  Channel& c = channels_[channel];
  if (t - port.since != c.left) return;
  const std::uint32_t header = oldest(channel).header;
  stop(port, t);
  taken_[port.output] = 0;
  if (far_ends_[port.output] == kNone) {
    const auto message_class = static_cast<std::uint8_t>(plan_.numbers.vc(plan_.within(port.output)));
    accounts().packet_arrived(source_of(header), endpoint_of(port.output), message_class);
  }
  port.waiting &= ~(std::uint64_t{1} << plan_.within(channel));
  c.oldest = static_cast<std::uint16_t>((c.oldest + 1U) & (packet_room_ - 1));
  if (--c.packets != 0) {
    open(channel);
    if (c.flits != 0) look_after(port_of(oldest(channel).wanted), t, 0);
    return;
  }
  c.oldest = 0;  // a ring that is empty begins anew, in a cache
  if (is_source(channel)) {
    queue(channel).pop(accounts().waiting());
    if (!queue(channel).empty()) push_waiting(channel);
  }
}

void WormPart::choose(std::uint32_t number, Cycle t) {
  Port& port = ports_[number];
  if (port.waiting == 0) return;
  const std::uint32_t first = first_channel(number);
  const std::uint64_t candidates = able(port, first, t);
  const std::uint64_t in_turn = candidates >> port.first << port.first;
  const std::uint64_t rest = in_turn != 0 ? in_turn : candidates;
  const std::uint32_t winner = rest == 0 ? kNone : first + static_cast<std::uint32_t>(std::countr_zero(rest));
  if (winner != port.mover) {
    if (port.mover != kNone) stop(port, t);
    if (winner == kNone) return;
    start(port, winner, t);
  }
  if (winner == kNone) return;
  if ((candidates & (candidates - 1)) != 0) {
    look_after(number, t, 1);
  } else {
    plan(number, port, t);
  }
}

std::uint64_t WormPart::able(const Port& port, std::uint32_t first_channel, Cycle t) const {
  std::uint64_t result = 0;
  for (std::uint64_t rest = port.waiting; rest != 0; rest &= rest - 1) {
    const std::uint32_t channel = first_channel + static_cast<std::uint32_t>(std::countr_zero(rest));
    const Channel& c = channels_[channel];
    if (flits_at(c, t) == 0) continue;
    const std::uint32_t output = oldest(channel).wanted;
    if (taken_[output] != 0 && c.left == packet_flits_ && port.mover != channel) continue;
    // An endpoint always has room: its credits come two cycles after flits have left, and a buffer has two at least.
    const std::uint32_t to = far_ends_[output];
    if (to != kNone && flits_at(seen(to), t) == seen(to).depth) continue;
    result |= rest & -rest;
  }
  return result;
}

void WormPart::start(Port& port, std::uint32_t channel, Cycle t) {
  Channel& c = channels_[channel];
  const Packet& packet = oldest(channel);
  port.mover = channel;
  port.output = packet.wanted;
  port.since = t;
  // Classes of a source take turns whatever routers do.
  const bool in_turn = is_source(channel) || !plan_.fixed_priority;
  port.first = static_cast<std::uint8_t>(in_turn ? (plan_.within(channel) + 1) % kWordBits : 0);
  start_out(channel, t);
  taken_[packet.wanted] = 1;
  const std::uint32_t to = far_ends_[packet.wanted];
  if (to == kNone) {
    sinks_[endpoint_of(packet.wanted)].arrives = t + 1;
    return;
  }
  const bool head = c.left == packet_flits_;
  if (head && is_source(channel)) {
    accounts().departed(t + 1, source_of_channel(channel), static_cast<std::uint8_t>(plan_.within(channel)),
                        queue(channel).front(accounts().waiting()));
  }
  if (is_far(to)) {
    settle(seen_[to], t);
    seen_[to].in = true;
    send({.channel = to, .header = packet.header, .kind = head ? Message::Kind::kHead : Message::Kind::kFlits}, t);
  } else {
    start_in(to, head ? &packet.header : nullptr, t);
  }
}

void WormPart::stop(Port& port, Cycle t) {
  Channel& c = channels_[port.mover];
  const std::uint64_t cycles = t - port.since;
  port.flits += cycles;
  c.left -= static_cast<std::uint32_t>(cycles);
  stop_out(port.mover, t);
  const std::uint32_t to = far_ends_[port.output];
  if (to == kNone) {
    arrive(sinks_[endpoint_of(port.output)], t + 1);
  } else if (is_far(to)) {
    settle(seen_[to], t);
    seen_[to].in = false;
    send({.channel = to, .kind = Message::Kind::kFlitsEnd}, t);
  } else {
    stop_in(to, t);
  }
  port.mover = kNone;
}

void WormPart::plan(std::uint32_t number, const Port& port, Cycle t) {
  const Channel& c = channels_[port.mover];
  std::uint64_t cycles = c.left - (t - port.since);
  if (!c.in) cycles = std::min<std::uint64_t>(cycles, flits_at(c, t));
  if (const std::uint32_t to = far_ends_[port.output]; to != kNone && !seen(to).out) {
    cycles = std::min<std::uint64_t>(cycles, seen(to).depth - flits_at(seen(to), t));
  }
  look_after(number, t, cycles);
}

void WormPart::arrive(Sink& sink, Cycle end) {
  if (sink.arrives >= end) return;
  accounts().flits_arrived(sink.arrives, end);
  sink.arrives = end;
}

}  // namespace tidings::traffic
