// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "tests/equivalence/mpe_surroundings.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "sim/cycle/mpe_registers.h"
#include "sim/verify/software.h"

namespace tidings::test {
namespace {

using cycle::Collective;
using cycle::Combine;
using cycle::Element;
using cycle::MpeCommand;
using cycle::MpeInputs;

constexpr std::uint32_t kAlways = 100;

/// Upper halves of doubles and whole floats at the edges of what there is.
constexpr std::uint32_t kSpecialFloats[] = {
    0x00000000,  // zero
    0x00000001,  // smallest subnormal
    0x007fffff,  // largest subnormal
    0x00800000,  // smallest normal
    0x3f800000,  // one
    0x3f800001,  // one and a bit
    0x33800000,  // half a bit of one
    0x7f7fffff,  // largest
    0x7f000000,  // half of it
    0x7f800000,  // infinity
    0x7fc00000,  // quiet NaN
    0x7fc12345,  // quiet NaN with a payload
    0x7f800001,  // signalling NaN
    0x7fffffff,
};
constexpr std::uint64_t kSpecialDoubles[] = {
    0x0000000000000000, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
    0x3ff0000000000001, 0x3ca0000000000000, 0x7fefffffffffffff, 0x7fe0000000000000, 0x7ff0000000000000,
    0x7ff8000000000000, 0x7ff8000012345678, 0x7ff0000000000001, 0x7fffffffffffffff,
};

}  // namespace

MpeSurroundings::MpeSurroundings(const cycle::MpeParameters& parameters, const MpeTraffic& traffic, std::uint32_t seed)
    : parameters_(parameters), traffic_(traffic), random_(seed, 0) {
  for (unsigned context = 0; context < parameters.node.mpe_contexts; ++context) {
    for (unsigned link = 0; link < parameters.node.mpe_links; ++link) {
      const cycle::MpeInfo at{.context_id = static_cast<std::uint8_t>(context),
                              .link = static_cast<std::uint8_t>(link)};
      links_[place(at)] = {.direct = link < parameters.direct_links && chance(70),
                           .node = NodeId{static_cast<std::uint16_t>(draw(1U << tidings_pkg::kNodeIdWidth))},
                           .slot = SlotId{static_cast<std::uint8_t>(draw(1U << tidings_pkg::kSlotIdWidth))},
                           // Differs from the link, and tells which link a packet goes to.
                           .peer_link = static_cast<std::uint8_t>(parameters.node.mpe_links - link)};
      neighbour(at).room = parameters.node.mpe_buffer_words;
    }
  }
}

cycle::MpeInfo MpeSurroundings::draw_link() {
  return {.context_id = static_cast<std::uint8_t>(draw(parameters_.node.mpe_contexts)),
          .link = static_cast<std::uint8_t>(draw(parameters_.node.mpe_links))};
}

cycle::MpeInfo MpeSurroundings::next_link(cycle::MpeInfo link) const {
  if (++link.link < parameters_.node.mpe_links) return link;
  return {.context_id = static_cast<std::uint8_t>((link.context_id + 1U) % parameters_.node.mpe_contexts)};
}

void MpeSurroundings::new_rates() {
  constexpr std::uint32_t kLongestStretch = 400;
  constexpr std::array<std::uint32_t, 8> kPercent{0, 10, 40, 80, kAlways, kAlways, kAlways, kAlways};
  stretch_ = 1 + draw(kLongestStretch);
  for (std::uint32_t& rate : rates_) rate = traffic_.only_sums ? kAlways : kPercent[draw(kPercent.size())];
  // Registers of links do not change often.
  rates_[kLinks] = chance(10) ? 1 : 0;
}

void MpeSurroundings::add_element(std::vector<std::uint32_t>& words, Element element) {
  const auto any = [this] { return word(); };
  const auto sign = [&] { return any() & 0x80000000U; };
  const std::uint32_t kind = draw(4);
  if (cycle::is_wide(element)) {
    std::uint64_t value = std::uint64_t{any()} << 32 | any();
    if (kind < 2) value = kSpecialDoubles[draw(std::size(kSpecialDoubles))] | std::uint64_t{sign()} << 32;
    // Exponents so close that digits cancel.
    if (kind == 2) value = (value & 0x800fffff'ffffffff) | std::uint64_t{1016 + draw(16)} << 52;
    words.push_back(static_cast<std::uint32_t>(value));
    words.push_back(static_cast<std::uint32_t>(value >> 32));
  } else {
    std::uint32_t value = any();
    if (kind < 2) value = kSpecialFloats[draw(std::size(kSpecialFloats))] | sign();
    if (kind == 2) value = (value & 0x807fffff) | (120 + draw(16)) << 23;
    words.push_back(value);
  }
}

MpeCommand MpeSurroundings::draw_command() {
  const registers::MpeCommand drawn = verify::draw_mpe_command(random_, parameters_.node, traffic_.exchanges);
  MpeCommand command = cycle::MpeRegisters({.node = parameters_.node}).command(drawn.encode());
  command.source = word() & ~3U;
  command.destination = word() & ~3U;
  if (chance(5)) command.source = command.destination = 0xfffffff0;  // addresses wrap
  command.count = draw(traffic_.most_elements + 1);
  if (chance(10)) command.count = draw(3);
  if (command.exchange) command.count = draw(parameters_.node.mpe_packet_words / 2 + 1);
  command.descriptor = word();
  if (traffic_.only_sums) {
    command.operation = Collective::kReduce;
    command.element = chance(50) || parameters_.node.mpe_wide_elements == 0 ? Element::kFloat : Element::kDouble;
    command.combine = Combine::kSum;
    command.parent = cycle::kNoLink;
    command.children = static_cast<std::uint8_t>(1U << draw(parameters_.node.mpe_links));
    command.count = traffic_.most_elements;
  }
  return command;
}

void MpeSurroundings::send(unsigned link, const MpeCommand& command, std::uint32_t elements) {
  const bool wrong = chance(traffic_.mismatch_percent);
  std::vector<std::uint32_t> words{wrong ? ~command.descriptor : command.descriptor};
  for (std::uint32_t i = 0; i < elements; ++i) {
    add_element(words, command.operation == Collective::kBroadcast ? Element::kInt32 : command.element);
  }
  std::deque<std::uint32_t>& to_send =
      neighbour({.context_id = command.context_id, .link = static_cast<std::uint8_t>(link)}).to_send;
  to_send.insert(to_send.end(), words.begin(), words.end());
}

void MpeSurroundings::begin(const MpeCommand& command) {
  const bool root = command.parent == cycle::kNoLink;
  const bool reduces = command.operation == Collective::kReduce || command.operation == Collective::kAllreduce;
  const std::uint32_t elements = command.operation == Collective::kBarrier ? 0 : command.count;
  if (reduces || (root && command.operation == Collective::kBroadcast)) {
    std::vector<std::uint32_t> words;
    for (std::uint32_t i = 0; i < elements; ++i) {
      add_element(words, reduces ? command.element : Element::kInt32);
    }
    std::uint32_t address = command.source;
    for (const std::uint32_t word : words) {
      memory_[address] = word;
      address += 4;
    }
  }
  if (command.operation != Collective::kBroadcast) {
    for (unsigned link = 0; link < parameters_.node.mpe_links; ++link) {
      if ((command.children >> link & 1U) != 0) send(link, command, elements);
    }
  }
  if (!root && !command.exchange && command.operation != Collective::kReduce) send(command.parent, command, elements);
  if (!command.exchange && command.operation != Collective::kReduce) {
    std::uint32_t direct = 0;
    for (unsigned link = 0; link < parameters_.node.mpe_links; ++link) {
      const bool is_direct =
          links_[place({.context_id = command.context_id, .link = static_cast<std::uint8_t>(link)})].direct;
      direct |= std::uint32_t{is_direct} << link;
    }
    const std::uint32_t children = command.children;
    if ((children & direct) != 0 && (children & ~direct) != 0) ++direct_traffic_.mixed_trees;
  }
}

MpeInputs MpeSurroundings::inputs(const MpeOutputs& outputs) {
  if (stretch_ == 0) new_rates();
  --stretch_;
  if (now(kLinks)) {
    links_[place(draw_link())].node = NodeId{static_cast<std::uint16_t>(draw(1U << tidings_pkg::kNodeIdWidth))};
  }

  MpeInputs in;
  // Now and then a command comes although there is no room for it.
  if (now(kCommand) && chance(20) && (outputs.command_ready || (!traffic_.only_sums && chance(1)))) {
    in.command_valid = true;
    in.command = draw_command();
    const bool dropped = parameters_.node.mpe_wide_elements == 0 && cycle::is_wide(in.command.element) &&
                         cycle::combines(in.command.operation);
    if (outputs.command_ready && !dropped) begin(in.command);
  }
  const cycle::MpeInfo first = draw_link();
  const unsigned all = parameters_.node.mpe_contexts * parameters_.node.mpe_links;
  cycle::MpeInfo link = first;
  const bool words = now(kWord);
  for (unsigned i = 0; i < all && words; ++i, link = next_link(link)) {
    const Neighbour& sender = neighbour(link);
    if (links_[place(link)].direct || sender.to_send.empty() || sender.room == 0) continue;
    in.rx_valid = true;
    in.rx_info = link;
    in.rx_data = sender.to_send.front();
    break;
  }
  for (unsigned port = 0; port < parameters_.direct_links && port < parameters_.node.mpe_links; ++port) {
    OpenPacket& open = open_[port];
    cycle::MpeTap& tap = in.taps[port];
    tap.context = open.link.context_id;
    tap.left = static_cast<std::uint16_t>(open.left);
    if (!now(kTap)) continue;
    if (open.left != 0) {
      in.tapped |= static_cast<std::uint8_t>(1U << port);
      tap.valid = true;
      tap.data = neighbour(open.link).to_send.front();
      continue;
    }
    // A header.
    const unsigned from = draw(parameters_.node.mpe_contexts);
    for (unsigned i = 0; i < parameters_.node.mpe_contexts && open.left == 0; ++i) {
      link = {.context_id = static_cast<std::uint8_t>((from + i) % parameters_.node.mpe_contexts),
              .link = static_cast<std::uint8_t>(port)};
      const Neighbour& sender = neighbour(link);
      const auto ready = static_cast<std::uint32_t>(std::min<std::size_t>(sender.to_send.size(), sender.room));
      if (!links_[place(link)].direct || ready == 0) continue;
      open = {.link = link, .left = 1 + draw(std::min(ready, parameters_.node.mpe_packet_words))};
    }
  }
  link = first;
  const bool credits = now(kCredit);
  for (unsigned i = 0; i < all && credits; ++i, link = next_link(link)) {
    const Neighbour& receiver = neighbour(link);
    if (receiver.taken == 0) continue;
    in.credit_valid = true;
    in.credit_info = link;
    in.credit_count = static_cast<std::uint16_t>(1 + draw(receiver.taken));
    break;
  }
  // Ready follows valid, as arbiters grant.
  in.lane_ready = outputs.lane_valid && now(kLane);
  in.request_ready = outputs.request_valid && now(kRequest);
  in.reply_ready = outputs.reply_valid && now(kReply);
  in.memory_read_ready = outputs.memory_read_valid && now(kRead);
  in.memory_write_ready = outputs.memory_write_valid && now(kWrite);
  if (!reads_.empty() && now(kAnswer)) {
    in.memory_data_valid = true;
    in.memory_data = memory_[reads_.front()];
  }
  return in;
}

cycle::MpeInfo MpeSurroundings::link_of(std::uint32_t header1) const {
  cycle::MpeInfo info = cycle::MpeInfo::decode(cycle::Header1::decode(header1).info);
  const std::uint8_t peer_link = info.link;
  for (info.link = 0; info.link < parameters_.node.mpe_links; ++info.link) {
    if (links_[place(info)].peer_link == peer_link) return info;
  }
  throw std::runtime_error("a packet goes to link " + std::to_string(peer_link) +
                           " of a neighbour, which does not exist");
}

void MpeSurroundings::begin_direct(std::uint32_t header) {
  const cycle::NeighbourHeader packet = cycle::NeighbourHeader::decode(header);
  if (std::popcount(std::uint32_t{packet.ports}) > 1) ++direct_traffic_.packets_for_several;
  for (unsigned port = 0; port < cycle::NeighbourHeader::kPortsField.width; ++port) {
    if ((packet.ports >> port & 1U) == 0) continue;
    const cycle::MpeInfo link{.context_id = packet.context_id, .link = static_cast<std::uint8_t>(port)};
    if (port >= parameters_.node.mpe_links || !links_[place(link)].direct) {
      throw std::runtime_error("a neighbour packet goes to port " + std::to_string(port) +
                               ", which no direct link has");
    }
    neighbour(link).taken += packet.length;
  }
}

void MpeSurroundings::after_edge(const MpeOutputs& outputs, const MpeInputs& in) {
  const auto arrived = [this](cycle::MpeInfo link) {
    neighbour(link).to_send.pop_front();
    --neighbour(link).room;
  };
  if (in.rx_valid && outputs.rx_ready) arrived(in.rx_info);
  for (unsigned port = 0; port < cycle::kMaxLinks; ++port) {
    if ((in.tapped >> port & 1U) == 0) continue;
    arrived(open_[port].link);
    --open_[port].left;
  }
  if (in.credit_valid) neighbour(in.credit_info).taken -= in.credit_count;
  if (in.memory_data_valid) reads_.pop_front();
  if (in.memory_read_ready) reads_.push_back(outputs.memory_read_address);
  // Whether the flit is the last header word.
  const auto follow = [](Packet& packet, const Flit& flit) {
    if (packet.words == 0) packet.header0 = flit.data;
    if (packet.words == 1) packet.header1 = flit.data;
    const unsigned headers = cycle::kind_of(packet.header0) == cycle::Kind::kNeighbour ? 1 : 2;
    const bool last_header = ++packet.words == headers;
    if (flit.last) packet.words = 0;
    return last_header ? headers : 0;
  };
  const auto send = [&](Packet& packet, const Flit& flit) {
    const unsigned headers = follow(packet, flit);
    if (headers == 1) begin_direct(packet.header0);
    if (headers == 2) neighbour(link_of(packet.header1)).taken += cycle::Header1::decode(packet.header1).length;
  };
  if (in.lane_ready) send(lane_, outputs.lane);
  if (in.request_ready) send(request_, outputs.request);
  if (in.reply_ready && follow(reply_, outputs.reply) == 2) {
    neighbour(link_of(reply_.header1)).room += cycle::Header1::decode(reply_.header1).length;
  }
}

}  // namespace tidings::test
