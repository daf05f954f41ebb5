// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/packets.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "generated/mpe_pkg.h"
#include "generated/rma_pkg.h"
#include "generated/tidings_pkg.h"
#include "sim/cycle/rma_pkg.h"
#include "sim/cycle/tidings_pkg.h"
#include "sim/verify/software.h"

namespace tidings::verify {
namespace {

using rma_pkg::NackInfo;
using tidings_pkg::AtomicLength;
using tidings_pkg::GetInfo;
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
/// Replies of which one word alone says nothing: an acknowledgement is one word, and nothing that was sent waits for
/// it.
constexpr auto kCutReplies = kinds_with([](Kind kind) { return is_reply(kind) && kind != Kind::kPutAck; });
/// Replies of engines beside rma and mpe, and unknown ones.
constexpr auto kOtherReplies = kinds_with([](Kind kind) {
  const bool known = std::ranges::any_of(tidings_pkg::kKindValues, [&](const EnumValue& value) {
    return value.value == static_cast<std::uint32_t>(kind);
  });
  return is_reply(kind) && (!known || (engine_of(kind) != Engine::kRma && engine_of(kind) != Engine::kMpe));
});
constexpr std::uint32_t kWordBytes = tidings_pkg::kWordWidth / 8;
constexpr std::uint32_t kMostCollectiveWords = 10;
constexpr std::uint32_t kPortMasks = 1U << NeighbourHeader::kPortsField.width;

constexpr std::uint32_t kMemoryRegion = Software::kMemoryRegion, kRegionBytes = Software::kRegionBytes;
constexpr std::uint32_t kRegionRows = 1U << PutInfo::kRegionField.width;
/// A payload may be said to have fewer bytes than this.
constexpr std::uint32_t kLengths = 1U << Header1::kLengthField.width;
/// Streams of random numbers: packets over links have those below, by their numbers.
constexpr std::uint64_t kSlotStream = 1ULL << 43U, kLaneStream = 1ULL << 44U;

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
                                                       "atomic packet",
                                                       "atomic packet that is cut or goes on",
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
Kind any_of(traffic::Random& random, const decltype(kRequests)& kinds) {
  return kinds.first[random.below(static_cast<std::uint32_t>(kinds.second))];
}

std::uint32_t word(traffic::Random& random) { return static_cast<std::uint32_t>(random.next()); }

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

void add_words(Packet& packet, traffic::Random& random, std::uint32_t words) {
  for (; words != 0; --words) packet.words.push_back(word(random));
}

/// Some words of a collective.
struct StreamPart {
  explicit StreamPart(traffic::Random& random)
      : context(static_cast<std::uint8_t>(random.below(mpe_pkg::kMaxContexts))),
        length(static_cast<std::uint16_t>(1 + random.below(kMostCollectiveWords))) {}
  std::uint8_t context;
  std::uint16_t length;
};

/// Over direct links, through the network ports of a mask.
Packet neighbour_packet(traffic::Random& random, const StreamPart& part, std::uint32_t ports) {
  const NeighbourHeader header{.kind = Kind::kNeighbour,
                               .context_id = part.context,
                               .ports = static_cast<std::uint16_t>(ports),
                               .length = part.length};
  Packet packet{.kind = PacketKind::kNeighbour, .words = {header.encode()}};
  add_words(packet, random, part.length);
  return packet;
}

}  // namespace

std::span<const char* const> packet_kind_names() { return kNames; }

Packet Packets::from_link(std::uint32_t number) const {
  traffic::Random random(seed_, number + std::uint64_t{1});
  const std::uint32_t vc = number % channels();
  const bool reply = is_reply(vc);
  const Header0 addresses = draw_addresses(random);
  const bool here = addresses.dst_node == topology_.id(node_);
  // Nobody takes words out of the engine's stream buffers, so only the first packets of a channel are for one.
  const auto earlier = static_cast<std::uint32_t>(number / (std::size_t{topology_.ports()} * channels()));
  const bool fits = (std::uint64_t{earlier} + 1) * kMostCollectiveWords <= parameters_.mpe_buffer_words;
  const auto port = static_cast<std::uint8_t>(number / channels() % topology_.ports());
  if (vc == 0 && fits && random.below(2) == 0 && port < parameters_.mpe_links && (parameters_.mpe_slots & 1U) != 0) {
    return draw_collective(random, port, addresses);
  }
  constexpr auto kDrawn = static_cast<std::uint32_t>(PacketKind::kNeighbour);
  const std::uint32_t drawn = 1 + random.below(kDrawn);
  const PacketKind kind = drawn == kDrawn ? PacketKind::kOneWord : static_cast<PacketKind>(drawn);
  const PacketKind along = random.below(3) == 0 ? PacketKind::kStaticPut : PacketKind::kStaticMessage;
  if (!reply && parameters_.num_routes != 0 && random.below(6) == 0) return draw_request(random, along, addresses);
  if (here) return reply ? draw_reply(random, addresses) : draw_request(random, kind, addresses);
  return draw_passing(random, reply, addresses);
}

Packet Packets::from_slot(SlotId slot, std::uint8_t vc, std::uint32_t earlier) const {
  traffic::Random random(seed_, kSlotStream + (std::uint64_t{earlier} * kMaxSlots + slot.value) * channels() + vc);
  const bool reply = is_reply(vc);
  Header0 addresses = draw_addresses(random);
  addresses.src_node = topology_.id(node_);
  if (slot.value == 0 && parameters_.direct_links != 0 && !reply && random.below(2) == 0) {
    const StreamPart part(random);
    return neighbour_packet(random, part, random.below(kPortMasks));
  }
  return draw_passing(random, reply, addresses);
}

Packet Packets::from_lane(std::uint32_t earlier) const {
  traffic::Random random(seed_, kLaneStream + earlier);
  const StreamPart part(random);
  return neighbour_packet(random, part, 1U << random.below(topology_.ports()));
}

Header0 Packets::draw_addresses(traffic::Random& random) const {
  const std::uint32_t nodes = topology_.hosts();
  const NodeIndex to = random.below(5) == 0 ? node_ : NodeIndex{random.below(nodes)};
  // Nobody answers itself: an answer to this node would be one that its engine does not wait for.
  const NodeIndex from = nodes == 1 ? node_ : NodeIndex{(node_.value + 1 + random.below(nodes - 1)) % nodes};
  // A slot that does not exist stands for slot 0.
  const unsigned most = parameters_.num_slots > kMaxSlots ? kMaxCrosspointSlots : kMaxSlots;
  const std::uint32_t slot = random.below(random.below(4) == 0 ? most : parameters_.num_slots);
  const Endpoint address = slot_address(topology_.id(to), slot);
  return {.dst_slot = address.slot, .dst_node = address.node, .src_node = topology_.id(from)};
}

Packet Packets::draw_passing(traffic::Random& random, bool reply, const Header0& addresses) {
  Packet packet{.kind = PacketKind::kPassing, .words = {with_kind(addresses, reply ? Kind::kPutAck : Kind::kMessage)}};
  add_words(packet, random, random.below(4) == 0 ? 0 : random.below(12));
  return packet;
}

Packet Packets::draw_collective(traffic::Random& random, std::uint8_t link, const Header0& addresses) const {
  const StreamPart part(random);
  const bool direct = parameters_.direct_links != 0 && random.below(2) == 0;
  const bool along_route = parameters_.num_routes != 0 && random.below(2) == 0;
  if (direct) return neighbour_packet(random, part, random.below(4) == 0 ? 0 : random.below(kPortMasks));
  Header0 header0 = addresses;
  header0.kind = along_route ? Kind::kStaticStream : Kind::kStream;
  header0.dst_slot = SlotId{0};
  header0.dst_node =
      along_route ? NodeId{static_cast<std::uint16_t>(random.below(parameters_.num_routes))} : topology_.id(node_);
  const mpe_pkg::MpeInfo info{.context_id = part.context, .link = link};
  const Header1 header1{.src_slot = SlotId{static_cast<std::uint8_t>(random.below(kMaxSlots))},
                        .info = static_cast<std::uint16_t>(info.encode()),
                        .length = part.length};
  Packet packet{.kind = along_route ? PacketKind::kStaticStream : PacketKind::kStream,
                .words = {header0.encode(), header1.encode()}};
  add_words(packet, random, part.length);
  return packet;
}

Packet Packets::draw_request(traffic::Random& random, PacketKind kind, const Header0& addresses) const {
  const auto header = [&addresses](Kind number) { return with_kind(addresses, number); };
  const auto length_of = [](std::uint32_t length) {
    return Header1{.length = static_cast<std::uint16_t>(length)}.encode();
  };
  const auto put_length = [](bool ack, std::uint32_t region, std::uint32_t length) {
    const PutInfo info{.ack = ack, .region = static_cast<std::uint8_t>(region)};
    return Header1{.info = static_cast<std::uint16_t>(info.encode()), .length = static_cast<std::uint16_t>(length)}
        .encode();
  };
  Packet packet{.kind = kind, .words = {}};
  const std::uint32_t most_message = cycle::message_bytes(parameters_.message_words);
  const std::uint32_t most_packet = kWordBytes * parameters_.rma_packet_words;
  const auto too_long = [&random](std::uint32_t most) { return most + 1 + random.below(kLengths - most - 1); };
  const std::uint32_t bytes = 1 + random.below(random.below(4) == 0 ? most_message : 16);
  const std::uint32_t put_bytes = std::min(bytes, most_packet);
  // A payload that fits in the region does so as a whole.
  const std::uint32_t offset =
      random.below((kRegionBytes - std::min(bytes, kRegionBytes - 1)) / kWordBytes + 1) * kWordBytes;
  const bool ack = random.below(2) != 0;
  const std::uint32_t any_region = random.below(kRegionRows);
  // A PUT of one word has its offset in its header.
  const auto put_of = [&](std::uint32_t region) {
    if (random.below(3) != 0) {
      packet.words.insert(packet.words.end(), {put_length(ack, region, put_bytes), offset});
      add_words(packet, random, words_of(put_bytes));
      return;
    }
    const PutInfo info{.word = true,
                       .last = static_cast<std::uint8_t>(random.below(kWordBytes)),
                       .ack = ack,
                       .region = static_cast<std::uint8_t>(region)};
    packet.words.push_back(Header1{.info = static_cast<std::uint16_t>(info.encode()),
                                   .length = static_cast<std::uint16_t>(offset / kWordBytes)}
                               .encode());
    add_words(packet, random, random.below(8) == 0 ? 2 : 1);
  };
  const auto get_of = [&](std::uint32_t region, std::uint32_t length) {
    const GetInfo info{.number = static_cast<std::uint8_t>(random.below(rma_pkg::kMaxGets)),
                       .region = static_cast<std::uint8_t>(region)};
    return Header1{.info = static_cast<std::uint16_t>(info.encode()), .length = static_cast<std::uint16_t>(length)}
        .encode();
  };
  switch (kind) {
    case PacketKind::kMessage:
      packet.words = {header(Kind::kMessage), length_of(bytes)};
      add_words(packet, random, words_of(bytes));
      break;
    case PacketKind::kMessageOfNoBytes:
      packet.words = {header(Kind::kMessage), length_of(0)};
      add_words(packet, random, random.below(3));
      break;
    case PacketKind::kMessageTooLong:
      packet.words = {header(Kind::kMessage), length_of(too_long(most_message))};
      add_words(packet, random, random.below(9));
      break;
    case PacketKind::kMessageWithoutPayload:
      packet.words = {header(Kind::kMessage), length_of(bytes)};
      break;
    case PacketKind::kPut:
      packet.words = {header(Kind::kPut)};
      put_of(kMemoryRegion);
      break;
    case PacketKind::kPutTooLong:
      packet.words = {header(Kind::kPut), put_length(ack, kMemoryRegion, too_long(most_packet))};
      add_words(packet, random, random.below(9));
      break;
    case PacketKind::kPutCut:
      packet.words = {header(Kind::kPut), put_length(ack, kMemoryRegion, put_bytes)};
      if (random.below(2) == 0) packet.words.push_back(offset);
      break;
    case PacketKind::kPutOutside:
      packet.words = {header(Kind::kPut), put_length(ack, any_region, put_bytes), kRegionBytes + offset};
      add_words(packet, random, words_of(put_bytes));
      break;
    case PacketKind::kGet:
      // Its length is in the header or in a word of its own.
      packet.words = {header(Kind::kGet), get_of(random.below(8) == 0 ? any_region : kMemoryRegion, bytes), offset};
      if (random.below(2) == 0) {
        packet.words[1] = get_of(kMemoryRegion, 0);
        packet.words.push_back(bytes);
      }
      break;
    case PacketKind::kGetCut:
      packet.words = {header(Kind::kGet), length_of(0), offset};
      packet.words.resize(2 + random.below(2));
      break;
    case PacketKind::kGetTooLong:
      packet.words = {header(Kind::kGet), get_of(kMemoryRegion, random.below(2) == 0 ? bytes : 0), offset, bytes};
      add_words(packet, random, 1 + random.below(4));
      break;
    case PacketKind::kAtomic:
    case PacketKind::kAtomicCut: {
      const AtomicLength length = draw_atomic(random);
      packet.words = {header(Kind::kGet), get_of(random.below(8) == 0 ? any_region : kMemoryRegion, length.encode()),
                      offset};
      Header1 header1 = Header1::decode(packet.words[1]);
      GetInfo info = GetInfo::decode(header1.info);
      info.atomic = true;
      header1.info = static_cast<std::uint16_t>(info.encode());
      packet.words[1] = header1.encode();
      const std::uint32_t words = cycle::operand_words(length);
      add_words(packet, random, kind == PacketKind::kAtomic ? words : random.below(6));
      break;
    }
    case PacketKind::kRoutePut:
      packet.words = {header(Kind::kPut), put_length(ack, Software::kRouteRegion, put_bytes), offset};
      for (std::uint32_t words = words_of(put_bytes); words != 0; --words)
        packet.words.push_back(draw_route(random, parameters_, topology_.ports() + parameters_.num_slots).encode());
      break;
    case PacketKind::kStaticMessage:
      packet.words = {header(Kind::kStaticMessage), length_of(bytes)};
      add_words(packet, random, words_of(bytes));
      break;
    case PacketKind::kStaticPut:
      packet.words = {header(Kind::kStaticPut)};
      put_of(random.below(4) == 0 ? any_region : kMemoryRegion);
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

Packet Packets::draw_reply(traffic::Random& random, const Header0& addresses) const {
  const auto header = [&addresses](Kind number) { return with_kind(addresses, number); };
  constexpr auto kFirst = static_cast<std::uint32_t>(PacketKind::kGetReply);
  const auto kind = static_cast<PacketKind>(kFirst + random.below(static_cast<std::uint32_t>(kPacketKinds) - kFirst));
  Packet packet{.kind = kind, .words = {}};
  NackInfo info;
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
      info.number = static_cast<std::uint8_t>(random.below(rma_pkg::kMaxGets));
      info.code = static_cast<tidings_pkg::Nack>(random.below(1U << NackInfo::kCodeField.width));
      packet.words = {header(Kind::kNack),
                      Header1{.src_slot = SlotId{static_cast<std::uint8_t>(random.below(kMaxSlots))},
                              .info = static_cast<std::uint16_t>(info.encode())}
                          .encode()};
      return packet;
    default:
      packet.words = {header(any_of(random, kCutReplies))};
      return packet;
  }
  add_words(packet, random, random.below(6));
  return packet;
}

}  // namespace tidings::verify
