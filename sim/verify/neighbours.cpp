// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/neighbours.h"

#include <algorithm>
#include <array>
#include <utility>

#include "generated/mpe_pkg.h"
#include "generated/registers.h"
#include "generated/rma_pkg.h"
#include "generated/tidings_pkg.h"
#include "sim/cycle/rma_pkg.h"
#include "sim/cycle/tidings_pkg.h"

namespace tidings::verify {
namespace {

using namespace registers;
using rma_pkg::NackInfo;
using tidings_pkg::Header0;
using tidings_pkg::Header1;
using tidings_pkg::Kind;
using tidings_pkg::NeighbourHeader;
using tidings_pkg::PutInfo;

/// The kinds that a header can name, known or not, for which a condition holds.
template <class Condition>
constexpr auto kinds_with(Condition condition) {
  std::array<Kind, std::size_t{1} << Header0::kKindField.width> all{};
  std::size_t number = 0;
  for (std::size_t kind = 0; kind < all.size(); ++kind) {
    if (condition(static_cast<Kind>(kind))) all[number++] = static_cast<Kind>(kind);
  }
  return std::pair(all, number);
}
using tidings_pkg::Engine, tidings_pkg::engine_of, tidings_pkg::is_reply;
constexpr auto kRequests = kinds_with([](Kind kind) { return !is_reply(kind); });
constexpr auto kReplies = kinds_with(is_reply);
/// Replies of engines beside rma and mpe, and unknown ones.
constexpr auto kOtherReplies = kinds_with([](Kind kind) {
  const bool known = std::ranges::any_of(tidings_pkg::kKindValues, [&](const EnumValue& value) {
    return value.value == static_cast<std::uint32_t>(kind);
  });
  return is_reply(kind) && (!known || (engine_of(kind) != Engine::kRma && engine_of(kind) != Engine::kMpe));
});
constexpr std::uint32_t kWordBytes = tidings_pkg::kWordWidth / 8;
constexpr std::uint32_t kMostCollectiveWords = 10;

constexpr std::uint32_t kMemoryRegion = Software::kMemoryRegion, kRegionBytes = Software::kRegionBytes;
constexpr std::uint32_t kRegionRows = 1U << PutInfo::kRegionField.width;
/// A payload may be said to have fewer bytes than this.
constexpr std::uint32_t kLengths = 1U << Header1::kLengthField.width;
constexpr std::uint64_t kMemoryLatency = 3;
/// Streams of random numbers: packets have those below, by their numbers.
constexpr std::uint64_t kSetUpStream = 1ULL << 40U, kAccessStream = 1ULL << 41U, kSoftwareStream = 1ULL << 42U;

constexpr std::array<const char*, kPacketKinds> kNames{"passing packet",
                                                       "message packet",
                                                       "message of no bytes",
                                                       "message that is too long",
                                                       "message without payload",
                                                       "put packet",
                                                       "put packet that is too long",
                                                       "put packet that is cut",
                                                       "put packet outside of regions",
                                                       "get packet",
                                                       "get packet that is cut",
                                                       "get packet that goes on",
                                                       "put packet to static routes",
                                                       "message along a static route",
                                                       "put packet along a static route",
                                                       "packet over a direct link",
                                                       "packet of a collective",
                                                       "packet of a collective along a static route",
                                                       "request of one word",
                                                       "reply that nobody waits for",
                                                       "reply of another kind",
                                                       "refusal that nobody waits for",
                                                       "reply of one word"};

std::uint32_t words_of(std::uint32_t bytes) { return (bytes + kWordBytes - 1) / kWordBytes; }

/// Any of some kinds.
Kind any_of(traffic::Random& random, const decltype(kReplies)& kinds) {
  return kinds.first[random.below(static_cast<std::uint32_t>(kinds.second))];
}

std::uint32_t word(traffic::Random& random) { return static_cast<std::uint32_t>(random.next()); }

/// Any address of a word in memory.
std::uint32_t word_address(traffic::Random& random) { return word(random) & ~(kWordBytes - 1); }

/// Adds the second word of a packet, which tells the right length, and the payload.
void add_payload(std::deque<std::uint32_t>& words, traffic::Random& random) {
  const std::uint32_t length = random.below(6);
  Header1 header1 = Header1::decode(word(random));
  header1.length = static_cast<std::uint16_t>(length);
  words.push_back(header1.encode());
  for (std::uint32_t n = 0; n < length; ++n) words.push_back(word(random));
}

/// The first word of a packet.
std::uint32_t with_kind(Header0 header, Kind kind) {
  header.kind = kind;
  return header.encode();
}

}  // namespace

std::span<const char* const> packet_kind_names() { return kNames; }

Neighbours::Neighbours(const NodeParameters& parameters, const Topology& topology, NodeIndex node, std::uint32_t seed,
                       const std::optional<std::vector<std::uint32_t>>& kept)
    : parameters_(parameters),
      topology_(topology),
      node_(node),
      seed_(seed),
      times_(seed, 0),
      software_(parameters, topology, node, traffic::Random(seed, kSoftwareStream)),
      ports_(topology.ports(), Port{.credits = PortCredits(vcs(), parameters.buffer_flits), .channels = {}}),
      slots_(topology.slots()) {
  if (kept) kept_.emplace(kept->begin(), kept->end());
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    traffic::Random random(seed_, kSetUpStream + s);
    const std::vector<BusRequest> set_up = software_.set_up(random);
    slots_[s].pending.assign(set_up.begin(), set_up.end());
  }
}

void Neighbours::drive(const NodeOutputs& outputs, NodeInputs& inputs, bool quiet) {
  for (std::size_t p = 0; p < ports_.size(); ++p) drive_port(p, outputs.ports[p], inputs.ports[p], quiet);
  for (std::size_t s = 0; s < slots_.size(); ++s) drive_slot(s, outputs.slots[s], inputs.slots[s], quiet);
  ++cycle_;
}

bool Neighbours::at_rest() const {
  return std::ranges::all_of(
             slots_, [](const Slot& slot) { return slot.due.empty() && slot.asked.empty() && slot.pending.empty(); }) &&
         std::ranges::all_of(ports_, [](const Port& port) {
           return port.credits.at_rest() &&
                  std::ranges::all_of(port.channels, [](const Channel& channel) { return channel.packet.empty(); });
         });
}

void Neighbours::drive_port(std::size_t p, const PortOutput& output, PortInput& input, bool quiet) {
  PortCredits& credits = ports_[p].credits;
  input = {};
  input.credits = credits.give(output, times_, quiet);
  const bool sends = times_.below(quiet ? 1 : 2) == 0;
  const auto vc = static_cast<std::uint8_t>(times_.below(vcs()));
  if (sends) send(p, vc, input, quiet);
  credits.take(output.credits);
}

void Neighbours::drive_slot(std::size_t s, const SlotOutput& output, SlotInput& input, bool quiet) {
  Slot& slot = slots_[s];
  input = {};
  if (output.bus_read_valid) {
    accesses_.push_back({.write = false, .address = slot.asked.front(), .data = output.bus_read_data});
    if (slot.asked.front() == QueueTail::kAddress) {
      slot.pending.push_front({.write = true, .address = QueueHead::kAddress, .data = output.bus_read_data});
    }
    slot.asked.pop_front();
  }
  if (output.memory_read_valid) {
    slot.due.emplace_back(cycle_ + kMemoryLatency, output.memory_read_address * 2654435761U);
  }
  if (!slot.due.empty() && slot.due.front().first == cycle_) {
    input.memory_data_valid = true;
    input.memory_data = slot.due.front().second;
    slot.due.pop_front();
  }
  if (times_.below(12) == 0 && !quiet) {
    // Drawn from the cycle, so that it does not depend on what was done before.
    traffic::Random random(seed_, kAccessStream + cycle_ * kMaxSlots + s);
    const std::vector<BusRequest> accesses = software_.draw(random);
    slot.pending.insert(slot.pending.end(), accesses.begin(), accesses.end());
  }
  if (slot.pending.empty()) return;
  input.bus_valid = true;
  input.bus = slot.pending.front();
  slot.pending.pop_front();
  if (input.bus.write) {
    accesses_.push_back({.write = true, .address = input.bus.address, .data = input.bus.data});
  } else {
    slot.asked.push_back(input.bus.address);
  }
}

void Neighbours::send(std::size_t p, std::uint8_t vc, PortInput& input, bool quiet) {
  Channel& channel = ports_[p].channels[vc];
  if (channel.packet.empty()) {
    if (quiet) return;
    const auto number = static_cast<std::uint32_t>((channel.packets++ * ports_.size() + p) * vcs() + vc);
    Packet packet = draw(number);
    channel.packet = std::move(packet.words);
    channel.kept = !kept_ || kept_->contains(number);
    if (channel.kept) {
      begun_.push_back(number);
      headers_.emplace_back(channel.packet[0],
                            channel.packet.size() > 1 ? std::optional(channel.packet[1]) : std::nullopt);
      ++counts_[static_cast<std::size_t>(packet.kind)];
    }
  }
  if (!channel.kept) {
    channel.packet.pop_front();
    return;
  }
  if (!ports_[p].credits.take_room(vc)) return;
  input.flit_valid = true;
  input.flit = {.vc = vc, .last = channel.packet.size() == 1, .data = channel.packet.front()};
  channel.packet.pop_front();
}

Neighbours::Packet Neighbours::draw(std::uint32_t number) const {
  traffic::Random random(seed_, number + std::uint64_t{1});
  const std::uint32_t vc = number % vcs();
  const bool reply = vc % 2 != 0;
  const std::uint32_t nodes = topology_.hosts();
  const NodeIndex to = random.below(5) == 0 ? node_ : NodeIndex{random.below(nodes)};
  // Nobody answers itself: an answer to this node would be one that its engine does not wait for.
  const NodeIndex from = nodes == 1 ? node_ : NodeIndex{(node_.value + 1 + random.below(nodes - 1)) % nodes};
  // A slot that does not exist stands for slot 0.
  const std::uint32_t slot = random.below(random.below(4) == 0 ? kMaxSlots : parameters_.num_slots);
  const Header0 addresses{.dst_slot = SlotId{static_cast<std::uint8_t>(slot)},
                          .dst_node = topology_.id(to),
                          .src_node = topology_.id(from)};
  // Nobody takes words out of the engine's stream buffers, so only the first packets of a channel are for one.
  const auto earlier = static_cast<std::uint32_t>(number / (ports_.size() * vcs()));
  const bool fits = (earlier + 1) * kMostCollectiveWords <= parameters_.mpe_buffer_words;
  const auto port = static_cast<std::uint8_t>(number / vcs() % ports_.size());
  if (vc == 0 && fits && random.below(2) == 0 && port < parameters_.mpe_links && (parameters_.mpe_slots & 1U) != 0) {
    return draw_collective(random, port, addresses);
  }
  constexpr auto kDrawn = static_cast<std::uint32_t>(PacketKind::kNeighbour);
  const std::uint32_t drawn = 1 + random.below(kDrawn);
  const PacketKind kind = drawn == kDrawn ? PacketKind::kOneWord : static_cast<PacketKind>(drawn);
  const PacketKind along = random.below(3) == 0 ? PacketKind::kStaticPut : PacketKind::kStaticMessage;
  if (!reply && parameters_.num_routes != 0 && random.below(6) == 0) return draw_request(random, along, addresses);
  if (to == node_) return reply ? draw_reply(random, addresses) : draw_request(random, kind, addresses);
  Packet packet{.kind = PacketKind::kPassing, .words = {with_kind(addresses, reply ? Kind::kPutAck : Kind::kMessage)}};
  for (std::uint32_t words = random.below(4) == 0 ? 0 : random.below(12); words != 0; --words) {
    packet.words.push_back(word(random));
  }
  return packet;
}

Neighbours::Packet Neighbours::draw_collective(traffic::Random& random, std::uint8_t link,
                                               const Header0& addresses) const {
  const auto context = static_cast<std::uint8_t>(random.below(mpe_pkg::kMaxContexts));
  const auto length = static_cast<std::uint16_t>(1 + random.below(kMostCollectiveWords));
  const bool direct = parameters_.direct_links != 0 && random.below(2) == 0;
  const bool along_route = parameters_.num_routes != 0 && random.below(2) == 0;
  Packet packet;
  if (direct) {
    const std::uint32_t bound = 1U << NeighbourHeader::kPortsField.width;
    const NeighbourHeader header{.kind = Kind::kNeighbour,
                                 .context_id = context,
                                 .ports = static_cast<std::uint16_t>(random.below(4) == 0 ? 0 : random.below(bound)),
                                 .length = length};
    packet = {.kind = PacketKind::kNeighbour, .words = {header.encode()}};
  } else {
    Header0 header0 = addresses;
    header0.kind = along_route ? Kind::kStaticStream : Kind::kStream;
    header0.dst_slot = SlotId{0};
    header0.dst_node =
        along_route ? NodeId{static_cast<std::uint16_t>(random.below(parameters_.num_routes))} : topology_.id(node_);
    const mpe_pkg::MpeInfo info{.context_id = context, .link = link};
    const Header1 header1{.src_slot = SlotId{static_cast<std::uint8_t>(random.below(kMaxSlots))},
                          .info = static_cast<std::uint16_t>(info.encode()),
                          .length = length};
    packet = {.kind = along_route ? PacketKind::kStaticStream : PacketKind::kStream,
              .words = {header0.encode(), header1.encode()}};
  }
  for (std::uint32_t i = 0; i < length; ++i) packet.words.push_back(word(random));
  return packet;
}

Neighbours::Packet Neighbours::draw_request(traffic::Random& random, PacketKind kind, const Header0& addresses) const {
  const auto header = [&addresses](Kind number) { return with_kind(addresses, number); };
  const auto length_of = [](std::uint32_t length) {
    return Header1{.length = static_cast<std::uint16_t>(length)}.encode();
  };
  const auto put_length = [](bool ack, std::uint32_t region, std::uint32_t length) {
    const PutInfo info{.ack = ack, .region = static_cast<std::uint8_t>(region)};
    return Header1{.info = static_cast<std::uint16_t>(info.encode()), .length = static_cast<std::uint16_t>(length)}
        .encode();
  };
  const auto add = [&random](Packet& packet, std::uint32_t words) {
    for (; words != 0; --words) packet.words.push_back(word(random));
  };
  Packet packet{.kind = kind, .words = {}};
  const std::uint32_t most_message = cycle::message_bytes(parameters_.message_words);
  const std::uint32_t most_packet = kWordBytes * parameters_.rma_packet_words;
  const auto too_long = [&random](std::uint32_t most) { return most + 1 + random.below(kLengths - most - 1); };
  const std::uint32_t bytes = 1 + random.below(random.below(4) == 0 ? most_message : 16);
  // A payload that fits in the region does so as a whole.
  const std::uint32_t offset =
      random.below((kRegionBytes - std::min(bytes, kRegionBytes - 1)) / kWordBytes + 1) * kWordBytes;
  const bool ack = random.below(2) != 0;
  const std::uint32_t any_region = random.below(kRegionRows);
  switch (kind) {
    case PacketKind::kMessage:
      packet.words = {header(Kind::kMessage), length_of(bytes)};
      add(packet, words_of(bytes));
      break;
    case PacketKind::kMessageOfNoBytes:
      packet.words = {header(Kind::kMessage), length_of(0)};
      add(packet, random.below(3));
      break;
    case PacketKind::kMessageTooLong:
      packet.words = {header(Kind::kMessage), length_of(too_long(most_message))};
      add(packet, random.below(9));
      break;
    case PacketKind::kMessageWithoutPayload:
      packet.words = {header(Kind::kMessage), length_of(bytes)};
      break;
    case PacketKind::kPut:
      packet.words = {header(Kind::kPut), put_length(ack, kMemoryRegion, bytes), offset};
      add(packet, words_of(bytes));
      break;
    case PacketKind::kPutTooLong:
      packet.words = {header(Kind::kPut), put_length(ack, kMemoryRegion, too_long(most_packet))};
      add(packet, random.below(9));
      break;
    case PacketKind::kPutCut:
      packet.words = {header(Kind::kPut), put_length(ack, kMemoryRegion, bytes)};
      if (random.below(2) == 0) packet.words.push_back(offset);
      break;
    case PacketKind::kPutOutside:
      packet.words = {header(Kind::kPut), put_length(ack, any_region, bytes), kRegionBytes + offset};
      add(packet, words_of(bytes));
      break;
    case PacketKind::kGet:
      packet.words = {header(Kind::kGet),
                      put_length(random.below(8) == 0, random.below(8) == 0 ? any_region : kMemoryRegion, 0), offset,
                      bytes, word_address(random)};
      break;
    case PacketKind::kGetCut:
      packet.words = {header(Kind::kGet), length_of(0), offset, bytes};
      packet.words.resize(2 + random.below(3));
      break;
    case PacketKind::kGetTooLong:
      packet.words = {header(Kind::kGet), length_of(0), offset, bytes, word_address(random)};
      add(packet, 1 + random.below(4));
      break;
    case PacketKind::kRoutePut:
      packet.words = {header(Kind::kPut), put_length(ack, Software::kRouteRegion, bytes), offset};
      for (std::uint32_t words = words_of(bytes); words != 0; --words)
        packet.words.push_back(software_.route_word(random));
      break;
    case PacketKind::kStaticMessage:
      packet.words = {header(Kind::kStaticMessage), length_of(bytes)};
      add(packet, words_of(bytes));
      break;
    case PacketKind::kStaticPut:
      packet.words = {header(Kind::kStaticPut),
                      put_length(ack, random.below(4) == 0 ? any_region : kMemoryRegion, bytes), offset};
      add(packet, words_of(bytes));
      break;
    default:
      packet.words = {header(any_of(random, kRequests))};
      break;
  }
  Header0 first = Header0::decode(packet.words[0]);
  if (cycle::is_static(first.kind) && parameters_.num_routes != 0) {
    first.dst_node = NodeId{static_cast<std::uint16_t>(random.below(parameters_.num_routes + 1))};
    packet.words[0] = first.encode();
  }
  return packet;
}

Neighbours::Packet Neighbours::draw_reply(traffic::Random& random, const Header0& addresses) const {
  const auto header = [&addresses](Kind number) { return with_kind(addresses, number); };
  constexpr auto kFirst = static_cast<std::uint32_t>(PacketKind::kGetReply);
  const auto kind = static_cast<PacketKind>(kFirst + random.below(static_cast<std::uint32_t>(kPacketKinds) - kFirst));
  Packet packet{.kind = kind, .words = {}};
  switch (kind) {
    case PacketKind::kGetReply:
      packet.words = {header(Kind::kGetReply), word(random)};
      break;
    case PacketKind::kOtherReply:
      packet.words = {header(any_of(random, kOtherReplies))};
      add_payload(packet.words, random);
      return packet;
    case PacketKind::kNack:
      // It answers neither a GET nor a PUT.
      packet.words = {header(Kind::kNack),
                      Header1{.src_slot = SlotId{static_cast<std::uint8_t>(random.below(kMaxSlots))},
                              .info = static_cast<std::uint16_t>(random.below(1U << NackInfo::kCodeField.width))}
                          .encode()};
      return packet;
    default:
      packet.words = {header(any_of(random, kReplies))};
      return packet;
  }
  for (std::uint32_t words = random.below(6); words != 0; --words) packet.words.push_back(word(random));
  return packet;
}

}  // namespace tidings::verify
