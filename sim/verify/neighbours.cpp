// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/neighbours.h"

#include <algorithm>

namespace tidings::verify {
namespace {

// Registers of rtl/regs/slot.rdl.
constexpr std::uint16_t kIrqStatus = 0x010, kIrqEnable = 0x014, kQueueBase = 0x020, kQueueSize = 0x024;
constexpr std::uint16_t kQueueTail = 0x028, kQueueHead = 0x02c, kRmaCompleted = 0x054, kRmaUnacknowledged = 0x058;
constexpr std::uint16_t kRmaError = 0x05c, kMpeError = 0x098;
constexpr std::uint16_t kRegionBase = 0x400, kRegionLength = 0x404, kRegionRights = 0x408;
constexpr std::uint32_t kAllCauses = 0x1f, kEightMessages = 0x103, kAllRights = 7, kClearError = 1U << 31;

// Kinds and fields of packets, docs/architecture.md.
constexpr std::uint32_t kMessage = 0, kPut = 1, kGet = 2, kKinds = 8, kPutAck = 8, kGetReply = 9, kNack = 10;
/// Of static packets: no route that these name is there.
constexpr std::array<std::uint32_t, 3> kStaticKinds{4, 5, 7};
constexpr std::uint32_t kFirstUnknownReply = 12, kUnknownKinds = 4, kNackCodes = 16;
constexpr std::uint32_t kKindShift = 28, kInfoShift = 16, kAck = 1U << 8;
constexpr std::uint32_t kMostMessageBytes = 248, kMostPacketBytes = 256;

constexpr std::uint32_t kRegionBytes = 4096, kRegionRows = 256, kQueueAddress = 0x4000;
constexpr std::uint64_t kMemoryLatency = 3;

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
                                                       "packet of an unknown route",
                                                       "request of one word",
                                                       "reply that nobody waits for",
                                                       "reply of unknown kind",
                                                       "refusal that nobody waits for",
                                                       "reply of one word"};

std::uint32_t words_of(std::uint32_t bytes) { return (bytes + 3) / 4; }

std::uint32_t word(traffic::Random& random) { return static_cast<std::uint32_t>(random.next()); }

}  // namespace

std::span<const char* const> packet_kind_names() { return kNames; }

Neighbours::Neighbours(const NodeParameters& parameters, const Topology& topology, NodeIndex node, std::uint32_t seed,
                       const std::optional<std::vector<std::uint32_t>>& kept)
    : parameters_(parameters),
      topology_(topology),
      node_(node),
      seed_(seed),
      times_(seed, 0),
      ports_(topology.ports()),
      slots_(topology.slots()) {
  if (kept) kept_.emplace(kept->begin(), kept->end());
  for (Port& port : ports_) {
    for (Channel& channel : port.channels) channel.room = parameters.buffer_flits;
  }
  for (Slot& slot : slots_) {
    slot.set_up = {{true, kIrqEnable, kAllCauses},      {true, kQueueBase, kQueueAddress},
                   {true, kQueueSize, kEightMessages},  {true, kRegionBase, 0},
                   {true, kRegionLength, kRegionBytes}, {true, kRegionRights, kAllRights}};
  }
}

void Neighbours::drive(const NodeOutputs& outputs, NodeInputs& inputs, bool quiet) {
  for (std::size_t p = 0; p < ports_.size(); ++p) drive_port(p, outputs.ports[p], inputs.ports[p], quiet);
  for (std::size_t s = 0; s < slots_.size(); ++s) drive_slot(slots_[s], outputs.slots[s], inputs.slots[s], quiet);
  ++cycle_;
}

bool Neighbours::at_rest() const {
  const auto channel_rests = [](const Channel& channel) { return channel.packet.empty() && channel.owed == 0; };
  return std::ranges::all_of(slots_, [](const Slot& slot) { return slot.due.empty() && slot.asked.empty(); }) &&
         std::ranges::all_of(ports_,
                             [&](const Port& port) { return std::ranges::all_of(port.channels, channel_rests); });
}

void Neighbours::drive_port(std::size_t p, const PortOutput& output, PortInput& input, bool quiet) {
  Port& port = ports_[p];
  input = {};
  const bool changes = times_.below(200) == 0;
  const std::uint32_t patience = times_.below(2) == 0 ? 1 : 1 + times_.below(60);
  if (changes && !quiet) port.patience = patience;
  if (output.flit_valid) ++port.channels[output.flit.vc].owed;
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    Channel& channel = port.channels[vc];
    const bool returns = times_.below(quiet ? 1 : port.patience) == 0;
    if (returns && channel.owed != 0) {
      --channel.owed;
      input.credits |= static_cast<std::uint8_t>(1U << vc);
    }
  }
  const bool sends = times_.below(quiet ? 1 : 2) == 0;
  const auto vc = static_cast<std::uint8_t>(times_.below(vcs()));
  if (sends) send(p, vc, input, quiet);
  for (unsigned freed = 0; freed < vcs(); ++freed) {
    if ((output.credits >> freed & 1U) != 0) ++port.channels[freed].room;
  }
}

void Neighbours::drive_slot(Slot& slot, const SlotOutput& output, SlotInput& input, bool quiet) {
  input = {};
  if (output.bus_read_valid) {
    if (slot.asked.front() == kQueueTail) slot.consumed = output.bus_read_data;
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
  constexpr std::array<std::uint16_t, 6> kReadable{kIrqStatus,         kQueueTail, kRmaCompleted,
                                                   kRmaUnacknowledged, kRmaError,  kMpeError};
  const bool acts = times_.below(24) == 0;
  const std::uint32_t action = times_.below(10);
  const std::uint16_t address = kReadable[times_.below(kReadable.size())];
  if (!slot.set_up.empty()) {
    input.bus_valid = true;
    input.bus = slot.set_up.front();
    slot.set_up.pop_front();
  } else if (slot.consumed) {
    input.bus_valid = true;
    input.bus = {.write = true, .address = kQueueHead, .data = *slot.consumed};
    slot.consumed.reset();
  } else if (acts && !quiet) {
    input.bus_valid = true;
    if (action == 0) {
      input.bus = {.write = true, .address = kIrqStatus, .data = kAllCauses};
    } else if (action <= 2) {
      input.bus = {.write = true, .address = kRmaError, .data = kClearError};
    } else {
      input.bus = {.write = false, .address = address, .data = 0};
      slot.asked.push_back(address);
    }
  }
}

void Neighbours::send(std::size_t p, std::uint8_t vc, PortInput& input, bool quiet) {
  Channel& channel = ports_[p].channels[vc];
  if (channel.packet.empty()) {
    if (quiet) return;
    const auto number = static_cast<std::uint32_t>((channel.packets++ * ports_.size() + p) * vcs() + vc);
    Packet packet = draw(number, vc % 2 != 0);
    channel.packet = std::move(packet.words);
    channel.kept = !kept_ || kept_->contains(number);
    if (channel.kept) {
      begun_.push_back(number);
      ++counts_[static_cast<std::size_t>(packet.kind)];
    }
  }
  if (!channel.kept) {
    channel.packet.pop_front();
    return;
  }
  if (channel.room == 0) return;
  --channel.room;
  input.flit_valid = true;
  input.flit = {.data = channel.packet.front(), .vc = vc, .last = channel.packet.size() == 1};
  channel.packet.pop_front();
}

Neighbours::Packet Neighbours::draw(std::uint32_t number, bool reply) const {
  traffic::Random random(seed_, number + std::uint64_t{1});
  const std::uint32_t nodes = topology_.nodes();
  const NodeIndex to = random.below(5) == 0 ? node_ : NodeIndex{random.below(nodes)};
  // Nobody answers itself: an answer to this node would be one that its engine does not wait for.
  const NodeIndex from = nodes == 1 ? node_ : NodeIndex{(node_.value + 1 + random.below(nodes - 1)) % nodes};
  const std::uint32_t addresses = random.below(parameters_.num_slots) << 24 |
                                  std::uint32_t{topology_.id(to).value} << 12 | topology_.id(from).value;
  if (to == node_) return reply ? draw_reply(random, addresses) : draw_request(random, addresses);
  Packet packet{.kind = PacketKind::kPassing, .words = {(reply ? kPutAck << kKindShift : 0) | addresses}};
  for (std::uint32_t words = random.below(4) == 0 ? 0 : random.below(12); words != 0; --words) {
    packet.words.push_back(word(random));
  }
  return packet;
}

Neighbours::Packet Neighbours::draw_request(traffic::Random& random, std::uint32_t addresses) const {
  const auto header = [addresses](std::uint32_t kind) { return kind << kKindShift | addresses; };
  const auto add = [&random](Packet& packet, std::uint32_t words) {
    for (; words != 0; --words) packet.words.push_back(word(random));
  };
  const auto kind = static_cast<PacketKind>(1 + random.below(static_cast<std::uint32_t>(PacketKind::kOneWord)));
  Packet packet{.kind = kind, .words = {}};
  const std::uint32_t bytes = 1 + random.below(random.below(4) == 0 ? kMostMessageBytes : 16);
  const std::uint32_t offset = random.below(kRegionBytes / 4 - kMostPacketBytes / 4) * 4;
  const std::uint32_t ack = random.below(2) * kAck << kInfoShift;
  switch (kind) {
    case PacketKind::kMessage:
      packet.words = {header(kMessage), bytes};
      add(packet, words_of(bytes));
      break;
    case PacketKind::kMessageOfNoBytes:
      packet.words = {header(kMessage), 0};
      add(packet, random.below(3));
      break;
    case PacketKind::kMessageTooLong:
      packet.words = {header(kMessage), kMostMessageBytes + 1 + random.below(1U << 15)};
      add(packet, random.below(9));
      break;
    case PacketKind::kMessageWithoutPayload:
      packet.words = {header(kMessage), bytes};
      break;
    case PacketKind::kPut:
      packet.words = {header(kPut), ack | bytes, offset};
      add(packet, words_of(bytes));
      break;
    case PacketKind::kPutTooLong:
      packet.words = {header(kPut), ack | (kMostPacketBytes + 1 + random.below(1U << 15))};
      add(packet, random.below(9));
      break;
    case PacketKind::kPutCut:
      packet.words = {header(kPut), ack | bytes};
      if (random.below(2) == 0) packet.words.push_back(offset);
      break;
    case PacketKind::kPutOutside:
      packet.words = {header(kPut), ack | random.below(kRegionRows) << kInfoShift | bytes, kRegionBytes + offset};
      add(packet, words_of(bytes));
      break;
    case PacketKind::kGet:
      packet.words = {header(kGet), random.below(8) == 0 ? 1U << kInfoShift : 0, offset, bytes, word(random) & ~3U};
      break;
    case PacketKind::kGetCut:
      packet.words = {header(kGet), 0, offset, bytes};
      packet.words.resize(2 + random.below(3));
      break;
    case PacketKind::kGetTooLong:
      packet.words = {header(kGet), 0, offset, bytes, word(random) & ~3U};
      add(packet, 1 + random.below(4));
      break;
    case PacketKind::kUnknown:
      packet.words = {header(kStaticKinds[random.below(kStaticKinds.size())]), word(random)};
      add(packet, random.below(4));
      break;
    default:
      packet.words = {header(random.below(kKinds))};
      break;
  }
  return packet;
}

Neighbours::Packet Neighbours::draw_reply(traffic::Random& random, std::uint32_t addresses) const {
  const auto header = [addresses](std::uint32_t kind) { return kind << kKindShift | addresses; };
  constexpr auto kFirst = static_cast<std::uint32_t>(PacketKind::kGetReply);
  const auto kind = static_cast<PacketKind>(kFirst + random.below(static_cast<std::uint32_t>(kPacketKinds) - kFirst));
  Packet packet{.kind = kind, .words = {}};
  switch (kind) {
    case PacketKind::kGetReply:
      packet.words = {header(kGetReply), word(random)};
      break;
    case PacketKind::kUnknownReply:
      packet.words = {header(kFirstUnknownReply + random.below(kUnknownKinds)), word(random)};
      break;
    case PacketKind::kNack:
      // It answers neither a GET nor a PUT.
      packet.words = {header(kNack), random.below(kMaxSlots) << kKindShift | random.below(kNackCodes) << kInfoShift};
      return packet;
    default:
      packet.words = {header(kPutAck + random.below(2 * kUnknownKinds))};
      return packet;
  }
  for (std::uint32_t words = random.below(6); words != 0; --words) packet.words.push_back(word(random));
  return packet;
}

}  // namespace tidings::verify
