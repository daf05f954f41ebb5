// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/software.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "generated/mpe_pkg.h"
#include "generated/registers.h"
#include "generated/rma_pkg.h"
#include "generated/tidings_pkg.h"
#include "sim/machine/network_ports.h"

namespace tidings::verify {
namespace {

using namespace registers;

constexpr std::uint32_t kQueueAddress = 0x4000, kLinksSetUp = 12;
constexpr std::uint32_t kMostBytes = 700, kMostElements = 60, kWordBytes = 4, kElementBytes = 8;
constexpr std::uint32_t kFlood = 8;
constexpr std::uint32_t kFewOffsets = 4;  ///< in words, at which atomic accesses meet
constexpr std::uint32_t kFewNames = 32, kNameBytes = 64, kManyNames = 300;

/// Packets of `stream` have few tags, so that some match, and mostly as many words as are written at once.
constexpr std::uint32_t kTags = 6, kShortPacket = 15, kStreamCredits = 30;

/// Orders of `alltoall` are short, and no longer than the table, so that every entry that is used has been written.
constexpr std::uint32_t kMostEntries = 16, kMostWords = 4;

/// Any order of `alltoall`, and all of it.
std::vector<BusRequest> load_order(std::uint32_t ports, std::uint32_t order,
                                   const std::vector<std::uint32_t>& entries) {
  const bool sets = order < tidings_pkg::kSwitchSides;
  const std::uint32_t width = order >= 2 * tidings_pkg::kSwitchSides || (sets && ports > 4) ? 8 : 4;
  const std::uint32_t per_word = tidings_pkg::kWordWidth / width;
  std::vector<BusRequest> accesses{{true, AlltoallPlace::kAddress, AlltoallPlace{.row = 0, .order = order}.encode()}};
  for (std::uint32_t first = 0; first < kMostEntries; first += per_word) {
    std::uint32_t word = 0;
    for (std::uint32_t i = first; i < std::min<std::size_t>(first + per_word, entries.size()); ++i) {
      word |= entries[i] << (i - first) * width;
    }
    accesses.push_back({true, AlltoallEntries::kAddress, word});
  }
  accesses.push_back({true, AlltoallLength::at(order), static_cast<std::uint32_t>(entries.size())});
  return accesses;
}

/// A program in which words move from any input to any outputs. What comes over links is for the neighbours to send.
/// @param entries of an order, at most. @param ports of the network.
std::vector<BusRequest> load_program(traffic::Random& random, std::uint32_t entries, std::uint32_t ports) {
  constexpr std::uint32_t kSlot = tidings_pkg::kSwitchPorts;
  // Sides that the switch does not have are not drawn.
  const std::uint32_t drawn_sides = 1U << (ports + 1);
  const auto spread = [&](std::uint32_t sides) {
    return (sides & ((1U << ports) - 1)) | (sides >> ports & 1U) << kSlot;
  };
  std::array<std::vector<std::uint32_t>, tidings_pkg::kAlltoallOrders> orders;
  // Half of all programs combine words, of which each needs one of the slot at most, and is one for it at most.
  registers::AlltoallSums sum;
  if (random.below(2) == 0) {
    sum = {.summands = spread(random.below(drawn_sides)),
           .outputs = spread(random.below(drawn_sides)),
           .element = random.below(4),
           .combine = random.below(8)};
    if (sum.summands != 0 && (sum.summands >> kSlot & 1U) != 0) orders[2 * tidings_pkg::kSwitchSides].push_back(0);
    if (sum.summands != 0 && (sum.outputs >> kSlot & 1U) != 0) orders[2 * tidings_pkg::kSwitchSides + 1].push_back(0);
  }
  for (std::uint32_t moves = random.below(std::min(kMostEntries, entries) + 1); moves > 0; --moves) {
    const std::uint32_t side = random.below(ports + 1);
    const std::uint32_t input = side == ports ? kSlot : side;
    const std::uint32_t outputs = random.below(4) == 0 ? random.below(1U << ports) : 1U << random.below(ports);
    const auto by_ports = [&](std::uint32_t sides) {
      return input == kSlot ? sides & ((1U << kSlot) - 1)
                            : (sides & ~(1U << input) & ((1U << kSlot) - 1)) | (sides >> kSlot & 1U) << input;
    };
    if (sum.summands != 0 && ((sum.summands >> input & 1U) != 0 || (outputs & by_ports(sum.outputs)) != 0)) continue;
    orders[input].push_back(outputs);
    if (input == kSlot) orders[2 * tidings_pkg::kSwitchSides].push_back(random.below(kMostEntries));
    for (std::uint32_t port = 0; port < kSlot; ++port) {
      if ((outputs >> port & 1U) == 0) continue;
      // The bit of the own port is that of the slot.
      const std::uint32_t output = port == input ? kSlot : port;
      orders[tidings_pkg::kSwitchSides + output].push_back(input);
      if (output == kSlot) orders[2 * tidings_pkg::kSwitchSides + 1].push_back(random.below(kMostEntries));
    }
  }
  std::vector<BusRequest> accesses{{true, registers::AlltoallSums::kAddress, sum.encode()}};
  for (std::uint32_t order = 0; order < orders.size(); ++order) {
    const std::uint32_t side = order % tidings_pkg::kSwitchSides;
    if (order < 2 * tidings_pkg::kSwitchSides && side >= ports && side != kSlot) continue;
    const std::vector<BusRequest> load = load_order(ports, order, orders[order]);
    accesses.insert(accesses.end(), load.begin(), load.end());
  }
  accesses.push_back({false, registers::AlltoallSums::kAddress, 0});
  return accesses;
}

std::uint16_t any_element(traffic::Random& random, const RegisterInfo& info) {
  return static_cast<std::uint16_t>(info.address + info.stride * random.below(info.count));
}

std::vector<NodeId> hosts_of(const Topology& topology) {
  std::vector<NodeId> nodes;
  // A router has several addresses if its slots are more than slot numbers.
  const std::uint32_t step = std::min(topology.slots(), kMaxSlots);
  for (std::uint32_t slot = 0; slot < topology.endpoints(); slot += step) nodes.push_back(topology.endpoint(slot).node);
  return nodes;
}

}  // namespace

tidings_pkg::AtomicLength draw_atomic(traffic::Random& random) {
  constexpr std::array<std::uint8_t, 2> kBytes{4, 8};
  return {.operation =
              static_cast<tidings_pkg::Atomic>(random.below(1U << tidings_pkg::AtomicLength::kOperationField.width)),
          .bytes = random.below(8) == 0 ? std::uint8_t{12} : kBytes[random.below(2)]};
}

MpeCommand draw_mpe_command(traffic::Random& random, const NodeParameters& parameters, bool exchanges) {
  const auto any = [&random](const BitField& field) { return random.below(1U << field.width); };
  const std::uint32_t all = (1U << parameters.mpe_links) - 1;
  MpeCommand command{.operation = any(MpeCommand::kOperationField),
                     .element = any(MpeCommand::kElementField),
                     .combine = any(MpeCommand::kCombineField),
                     .parent = mpe_pkg::kNoLink,
                     .children = random.below(10) == 0 ? all : random.below(all + 1) & random.below(all + 1),
                     .context_id = random.below(parameters.mpe_contexts)};
  const bool below_root = random.below(5) < 3;
  const std::uint32_t parent = random.below(parameters.mpe_links);
  if (exchanges && random.below(2) == 0) {
    const bool barrier = random.below(3) == 0;
    command.exchange = true;
    command.operation =
        static_cast<std::uint32_t>(barrier ? tidings_pkg::Collective::kBarrier : tidings_pkg::Collective::kAllreduce);
    command.swap = any(MpeCommand::kSwapField);
  }
  if (below_root) {
    command.parent = parent;
    command.children &= ~(1U << parent);
  }
  return command;
}

Route draw_route(traffic::Random& random, const NodeParameters& parameters, std::uint32_t router_ports) {
  const std::uint32_t bound = 1U << std::min<std::uint32_t>(router_ports, Route::kPortsField.width);
  const std::uint32_t ports = random.below(bound) & random.below(bound);
  const bool switched = random.below(8) == 0;
  const std::uint32_t known = random.below(parameters.num_routes + 1);
  const std::uint32_t any = random.below(1U << Route::kIndexField.width);
  const std::uint32_t index = random.below(8) == 0 ? any : known;
  return {.ports = ports, .switched = switched, .index = index};
}

Software::Software(const NodeParameters& parameters, std::vector<NodeId> nodes, std::uint32_t ports, Limits limits)
    : parameters_(parameters), nodes_(std::move(nodes)), ports_(ports), limits_(std::move(limits)) {
  for (const RegisterInfo& info : kRegisters) {
    // Where it names no slots it does nothing.
    const bool idle = info.address == registers::BarrierFarMates::kAddress && parameters.num_slots <= kMaxSlots;
    if (!idle) registers_.push_back(&info);
  }
}

Software::Software(const NodeParameters& parameters, const Topology& topology, NodeIndex node, traffic::Random random)
    : Software(parameters, hosts_of(topology), topology.ports() + parameters.num_slots,
               {.gets = false,
                .neighbours = hosts_of(topology),
                .log2_queue = random.below(1U << RmaQueueSize::kLog2SlotsField.width)}) {
  std::erase(limits_.neighbours, topology.id(node));
}

std::vector<BusRequest> Software::receiving() const {
  const RmaRegionRights all{.valid = true, .read = true, .write = true};
  const RmaRegionRights to_routes{.valid = true, .write = true, .routes = true};
  return {{true, RmaQueueBase::kAddress, kQueueAddress},
          {true, RmaQueueSize::kAddress, RmaQueueSize{.log2_slots = limits_.log2_queue, .valid = true}.encode()},
          {true, RmaRegionBase::at(kMemoryRegion), 0},
          {true, RmaRegionLength::at(kMemoryRegion), kRegionBytes},
          {true, RmaRegionRights::at(kMemoryRegion), all.encode()},
          {true, RmaRegionLength::at(kRouteRegion), kRegionBytes},
          {true, RmaRegionRights::at(kRouteRegion), to_routes.encode()}};
}

std::vector<BusRequest> Software::set_up(traffic::Random& random) const {
  std::vector<BusRequest> accesses = receiving();
  accesses.push_back({true, IrqEnable::kAddress, IrqEnable::kWritable});
  // After reset they name router 0, which need not be there.
  accesses.push_back({true, RmaRemote::kAddress, word(random, RmaRemote::kInfo)});
  for (std::uint32_t row = 0; row < StreamPeer::kCount && parameters_.stream_slots != 0; ++row) {
    accesses.push_back({true, StreamPeer::at(row), word(random, StreamPeer::kInfo)});
  }
  if (parameters_.alltoall_slots != 0) {
    const std::vector<BusRequest> program =
        load_program(random, parameters_.alltoall_period_words, switch_ports(parameters_));
    accesses.insert(accesses.end(), program.begin(), program.end());
  }
  for (std::uint32_t i = 0; i < kLinksSetUp && !limits_.neighbours.empty(); ++i) {
    accesses.push_back({true, any_element(random, MpeLink::kInfo), word(random, MpeLink::kInfo)});
  }
  return accesses;
}

bool Software::may_write(const RegisterInfo& info) const {
  // No link changes of a context that may be at work.
  if (info.address == RmaQueueHead::kAddress || info.address == MpeLink::kAddress) return false;
  return !limits_.neighbours.empty() || info.address != MpeCommand::kAddress;
}

std::vector<BusRequest> Software::draw(traffic::Random& random) const {
  constexpr std::array<std::uint16_t, 6> kStatus{IrqStatus::kAddress,    RmaQueueTail::kAddress,
                                                 RmaCompleted::kAddress, RmaUnacknowledged::kAddress,
                                                 RmaError::kAddress,     MpeError::kAddress};
  const auto write = [&](const RegisterInfo& info) {
    std::vector<BusRequest> accesses{{true, any_element(random, info), word(random, info)}};
    if (info.address == MpeCommand::kAddress && MpeCommand::decode(accesses.front().data).exchange) {
      // What is exchanged must fit in a packet.
      const std::uint32_t count = word(random, MpeCount::kInfo) % (parameters_.mpe_packet_words / 2 + 1);
      accesses.insert(accesses.begin(), {true, MpeCount::kAddress, count});
    }
    return accesses;
  };
  if (parameters_.stream_slots != 0 && random.below(3) == 0) return use_stream(random);
  if (parameters_.barrier_slots != 0 && random.below(4) == 0) return use_barrier(random);
  if (random.below(16) == 0) return use_names(random);
  if (parameters_.rma_atomics != 0 && limits_.gets && random.below(16) == 0) return use_atomics(random);
  if (parameters_.alltoall_slots != 0 && random.below(4) == 0) return use_alltoall(random);
  switch (random.below(16)) {
    case 0:
      return {{true, IrqStatus::kAddress, IrqStatus::kWritable}};
    case 1:
      // No error goes unseen.
      return {{false, RmaError::kAddress, 0}, {true, RmaError::kAddress, RmaError{.clear = true}.encode()}};
    case 2:
      return receiving();
    case 3:
    case 4:
      if (parameters_.num_routes != 0)
        return {{true, Route::kAddress, draw_route(random, parameters_, ports_).encode()}};
      break;
    case 5:
    case 6:
    case 7:
    case 8: {
      const RegisterInfo& info = *registers_[random.below(static_cast<std::uint32_t>(registers_.size()))];
      if (random.below(2) != 0 || !may_write(info)) return {{false, any_element(random, info), 0}};
      std::vector<BusRequest> accesses = write(info);
      // At once, before anything else is written.
      if (random.below(2) == 0) accesses.push_back({false, accesses.back().address, 0});
      return accesses;
    }
    case 9: {
      const std::uint32_t commands = random.below(10) == 0 ? 2 * parameters_.rma_command_depth : 1;
      const BusRequest command = write(RmaCommand::kInfo).front();
      std::vector<BusRequest> accesses(commands, command);
      if (RmaCommand::decode(command.data).inline_data != 0) {
        accesses.insert(accesses.begin(), {true, RmaLength::kAddress, kWordBytes});
      }
      return accesses;
    }
    case 10:
      if (may_write(MpeCommand::kInfo)) return write(MpeCommand::kInfo);
      break;
    case 11:
      // Anywhere, even if no register is there.
      return {{false, static_cast<std::uint16_t>(4 * random.below((1U << tidings_pkg::kBusAddressWidth) / 4)), 0}};
    case 12:
      return {{true, RmaRegionRights::at(random.below(2)), word(random, RmaRegionRights::kInfo)}};
    case 13:
      if (random.below(2) == 0) return flood(random);
      break;
    default:
      break;
  }
  return {{false, kStatus[random.below(kStatus.size())], 0}};
}

std::vector<BusRequest> Software::flood(traffic::Random& random) const {
  const RmaRemote remote{.node = any(random, nodes_), .slot = random.below(kMaxSlots)};
  const std::uint32_t words = random.below(parameters_.message_words);
  const RmaCommand command{.operation = static_cast<std::uint32_t>(rma_pkg::RmaOperation::kMessage), .notify = true};
  std::vector<BusRequest> accesses{
      {true, RmaLocalAddress::kAddress, word(random, RmaLocalAddress::kInfo) & ~(kWordBytes - 1)},
      {true, RmaRemote::kAddress, remote.encode()},
      {true, RmaLength::kAddress, words * kWordBytes}};
  accesses.insert(accesses.end(), kFlood, {true, RmaCommand::kAddress, command.encode()});
  return accesses;
}

std::vector<BusRequest> Software::use_atomics(traffic::Random& random) const {
  const RmaRemote remote{.node = any(random, nodes_), .slot = random.below(kMaxSlots), .region = kMemoryRegion};
  const RmaCommand command{.operation = static_cast<std::uint32_t>(rma_pkg::RmaOperation::kAtomic), .notify = true};
  std::vector<BusRequest> accesses{
      {true, RmaLocalAddress::kAddress, word(random, RmaLocalAddress::kInfo) & ~(kWordBytes - 1)},
      {true, RmaRemote::kAddress, remote.encode()},
      {true, RmaOffset::kAddress, kWordBytes * random.below(kFewOffsets)},
      {true, RmaLength::kAddress, draw_atomic(random).encode()}};
  accesses.insert(accesses.end(), 1 + random.below(4), {true, RmaCommand::kAddress, command.encode()});
  return accesses;
}

std::vector<BusRequest> Software::use_stream(traffic::Random& random) const {
  switch (random.below(8)) {
    case 0: {
      const StreamPeer peer{
          .node = any(random, nodes_), .slot = random.below(kMaxSlots), .words = random.below(kStreamCredits)};
      const std::uint16_t address = any_element(random, StreamPeer::kInfo);
      return {{true, address, peer.encode()}, {false, address, 0}};
    }
    case 1: {
      const std::uint32_t tags = random.below(4) == 0 ? 1U << StreamMatch::kTagField.width : kTags;
      const StreamMatch match{.tag = random.below(tags), .enable = random.below(5) != 0};
      const std::uint16_t address = any_element(random, StreamMatch::kInfo);
      return {{true, address, match.encode()}, {false, address, 0}};
    }
    case 2:
    case 3: {
      const bool any = random.below(8) == 0;
      const std::uint32_t length =
          any ? random.below(1U << StreamSend::kLengthField.width) : 1 + random.below(kShortPacket);
      const std::uint32_t words = any ? random.below(kShortPacket) : length;
      const StreamSend send{.peer = random.below(any ? 1U << StreamSend::kPeerField.width : StreamPeer::kCount),
                            .tag = random.below(any ? 1U << StreamSend::kTagField.width : kTags),
                            .length = length};
      std::vector<BusRequest> accesses{{true, StreamSend::kAddress, send.encode()}};
      for (std::uint32_t i = 0; i < words; ++i) {
        accesses.push_back({true, StreamWord::kAddress, static_cast<std::uint32_t>(random.next())});
      }
      accesses.push_back({false, StreamSend::kAddress, 0});
      return accesses;
    }
    case 4:
      return {{false, StreamError::kAddress, 0},
              {true, StreamError::kAddress, word(random, StreamError::kInfo)},
              {true, StreamEnable::kAddress, word(random, StreamEnable::kInfo)}};
    default: {
      // The last queue takes what no other does.
      const std::uint32_t last = StreamReceive::kCount - 1;
      const std::uint32_t queue = random.below(2) == 0 ? last : random.below(last);
      std::vector<BusRequest> accesses(1 + random.below(kShortPacket), {false, StreamReceive::at(queue), 0});
      accesses.insert(accesses.begin(), {{false, StreamStatus::kAddress, 0}, {false, StreamCount::at(queue), 0}});
      return accesses;
    }
  }
}

std::vector<BusRequest> Software::use_names(traffic::Random& random) const {
  const bool many = random.below(8) == 0;
  RmaNameCommand command = RmaNameCommand::decode(word(random, RmaNameCommand::kInfo));
  if (random.below(2) == 0) command.operation = static_cast<std::uint32_t>(rma_pkg::NameOperation::kRegister);
  if (random.below(2) == 0) command.index %= kFewNames;
  std::vector<BusRequest> accesses{{true, RmaNameBase::kAddress, kNameBytes * random.below(kFewNames)},
                                   {true, RmaNameLength::kAddress, random.below(2) == 0 ? kRegionBytes : kNameBytes}};
  // One per cycle, of which every other one is lost: more than half of the largest table.
  accesses.insert(accesses.end(), many ? kManyNames : 1 + random.below(2),
                  {true, RmaNameCommand::kAddress, command.encode()});
  accesses.insert(accesses.end(), 1 + random.below(4), {false, RmaNameResult::kAddress, 0});
  if (random.below(4) == 0) {
    accesses.push_back({true, RmaNameResult::kAddress, RmaNameResult{.lost = true}.encode()});
    accesses.push_back({false, RmaNameResult::kAddress, 0});
  }
  return accesses;
}

std::vector<BusRequest> Software::use_barrier(traffic::Random& random) const {
  namespace reg = registers;
  const auto any = [&random](const BitField& field) { return random.below(1U << field.width); };
  switch (random.below(8)) {
    case 0: {
      const std::uint16_t address = any_element(random, reg::BarrierGroup::kInfo);
      const reg::BarrierGroup group{.member = random.below(6) != 0,
                                    .mates = random.below(2) == 0 ? 0 : any(reg::BarrierGroup::kMatesField)};
      std::vector<BusRequest> accesses{{true, address, group.encode()}, {false, address, 0}};
      if (parameters_.num_slots > kMaxSlots && random.below(2) == 0) {
        const reg::BarrierFarMates far{.slots = any(reg::BarrierFarMates::kSlotsField)};
        const BusRequest write{true, any_element(random, reg::BarrierFarMates::kInfo), far.encode()};
        accesses.insert(accesses.begin(), write);
      }
      return accesses;
    }
    case 1:
      return {{false, reg::BarrierError::kAddress, 0},
              {true, reg::BarrierError::kAddress, word(random, reg::BarrierError::kInfo)},
              {true, reg::BarrierEnable::kAddress, word(random, reg::BarrierEnable::kInfo)}};
    case 2:
      return {{true, reg::BarrierStatus::kAddress, word(random, reg::BarrierStatus::kInfo)},
              {false, reg::BarrierStatus::kAddress, 0}};
    default:
      return {{true, reg::BarrierArrive::kAddress, word(random, reg::BarrierArrive::kInfo)},
              {false, reg::BarrierStatus::kAddress, 0}};
  }
}

std::vector<BusRequest> Software::use_alltoall(traffic::Random& random) const {
  namespace reg = registers;
  switch (random.below(16)) {
    case 0:
      return load_program(random, parameters_.alltoall_period_words, switch_ports(parameters_));
    case 1:
      return {{false, any_element(random, reg::AlltoallLength::kInfo), 0},
              {true, reg::AlltoallPlace::kAddress, word(random, reg::AlltoallPlace::kInfo)},
              {false, reg::AlltoallPlace::kAddress, 0},
              {false, reg::AlltoallEntries::kAddress, 0},
              {true, reg::AlltoallError::kAddress, word(random, reg::AlltoallError::kInfo)}};
    case 2:
      return {{true, reg::AlltoallSource::kAddress, word(random, reg::AlltoallSource::kInfo)},
              {true, reg::AlltoallDestination::kAddress, word(random, reg::AlltoallDestination::kInfo)},
              {false, reg::AlltoallSums::kAddress, 0}};
    default:
      return {{true, reg::AlltoallStart::kAddress, word(random, reg::AlltoallStart::kInfo)},
              {false, reg::AlltoallError::kAddress, 0},
              {false, reg::IrqStatus::kAddress, 0}};
  }
}

std::uint32_t Software::word(traffic::Random& random, const RegisterInfo& info) const {
  std::uint32_t word = 0;
  for (const RegisterField& field : info.fields) {
    // This one follows from others: a draw of its own would change all that are drawn after it.
    if (info.address == RmaCommand::kAddress && field.lsb == RmaCommand::kInlineDataField.lsb) continue;
    const std::uint64_t mask = (std::uint64_t{1} << field.width) - 1;
    const std::uint64_t value = random.below(4) == 0 ? 0 : random.next() & mask;
    if (field.writable) word |= static_cast<std::uint32_t>(value << field.lsb);
  }
  return limited(random, info.address, word);
}

std::uint32_t Software::limited(traffic::Random& random, std::uint16_t address, std::uint32_t word) const {
  switch (address) {
    case RmaQueueBase::kAddress:
    case RmaRegionBase::kAddress:
      return word & ~(kWordBytes - 1);
    case RmaLocalAddress::kAddress:
      return random.below(8) == 0 ? word : word & ~(kWordBytes - 1);
    case RmaOffset::kAddress:
      if (random.below(2) == 0) word %= kRegionBytes;
      return random.below(8) == 0 ? word : word & ~(kWordBytes - 1);
    case MpeSource::kAddress:
    case MpeDestination::kAddress:
      return word & ~(kElementBytes - 1);
    case RmaLength::kAddress:
      if (parameters_.rma_atomics && random.below(2) == 0) return draw_atomic(random).encode();
      return word % kMostBytes;
    case MpeCount::kAddress:
      return word % kMostElements;
    case RmaQueueSize::kAddress: {
      RmaQueueSize size = RmaQueueSize::decode(word);
      size.log2_slots = limits_.log2_queue;
      return size.encode();
    }
    case RmaRemote::kAddress: {
      RmaRemote remote = RmaRemote::decode(word);
      remote.node = any(random, nodes_);
      if (parameters_.rma_names != 0 && random.below(2) == 0) remote.region %= kFewNames;
      return remote.encode();
    }
    case MpeLink::kAddress: {
      MpeLink link = MpeLink::decode(word);
      link.node = any(random, limits_.neighbours);
      return link.encode();
    }
    case RmaCommand::kAddress: {
      RmaCommand command = RmaCommand::decode(word);
      const auto operation = static_cast<rma_pkg::RmaOperation>(command.operation);
      const bool answered = operation == rma_pkg::RmaOperation::kGet ||
                            (operation == rma_pkg::RmaOperation::kAtomic && parameters_.rma_atomics);
      if (answered && !limits_.gets) {
        command.operation = static_cast<std::uint32_t>(rma_pkg::RmaOperation::kMessage);
      }
      const bool accesses_region = operation == rma_pkg::RmaOperation::kPut || operation == rma_pkg::RmaOperation::kGet;
      if (accesses_region && command.notify != 0 && command.static_route != 0) {
        command.inline_data = true;
        command.static_route = false;
      }
      command.static_route = command.static_route && parameters_.num_routes != 0;
      return command.encode();
    }
    case MpeCommand::kAddress:
      return draw_mpe_command(random, parameters_, true).encode();
    case StreamPeer::kAddress: {
      StreamPeer peer = StreamPeer::decode(word);
      peer.node = any(random, nodes_);
      return peer.encode();
    }
    case Route::kAddress:
      return draw_route(random, parameters_, ports_).encode();
    case AlltoallSource::kAddress:
    case AlltoallDestination::kAddress:
      return word & ~(kWordBytes - 1);
    case AlltoallStart::kAddress:
      return word % kMostWords;
    case AlltoallLength::kAddress:
      return word % (kMostEntries + 1);
    default:
      return word;
  }
}

std::uint32_t Software::any(traffic::Random& random, const std::vector<NodeId>& nodes) {
  return nodes[random.below(static_cast<std::uint32_t>(nodes.size()))].value;
}

}  // namespace tidings::verify
