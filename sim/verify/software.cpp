// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/verify/software.h"

#include <array>
#include <cstddef>

#include "generated/mpe_pkg.h"
#include "generated/registers.h"
#include "generated/rma_pkg.h"
#include "generated/tidings_pkg.h"

namespace tidings::verify {
namespace {

using namespace registers;

constexpr std::uint32_t kQueueAddress = 0x4000, kLinksSetUp = 12;
constexpr std::uint32_t kMostBytes = 700, kMostElements = 60, kWordBytes = 4, kElementBytes = 8;

constexpr std::uint32_t kCombines = tidings_pkg::kCombineValues.size();
/// Bitwise operations follow those that all elements have.
constexpr auto kCombinesOfFloat = static_cast<std::uint32_t>(tidings_pkg::Combine::kAnd);

std::uint16_t any_element(traffic::Random& random, const RegisterInfo& info) {
  return static_cast<std::uint16_t>(info.address + info.stride * random.below(info.count));
}

}  // namespace

std::vector<BusRequest> Software::receiving() const {
  const RegionRights all{.valid = true, .read = true, .write = true};
  const RegionRights to_routes{.valid = true, .write = true, .routes = true};
  return {{true, QueueBase::kAddress, kQueueAddress},
          {true, QueueSize::kAddress, QueueSize{.log2_slots = 3, .valid = true}.encode()},
          {true, RegionBase::at(0), 0},
          {true, RegionLength::at(0), kRegionBytes},
          {true, RegionRights::at(0), all.encode()},
          {true, RegionLength::at(1), kRegionBytes},
          {true, RegionRights::at(1), to_routes.encode()}};
}

std::vector<BusRequest> Software::set_up(traffic::Random& random) const {
  std::vector<BusRequest> accesses = receiving();
  accesses.push_back({true, IrqEnable::kAddress, IrqEnable::kWritable});
  for (std::uint32_t i = 0; i < kLinksSetUp; ++i) {
    accesses.push_back({true, any_element(random, MpeLink::kInfo), word(random, MpeLink::kInfo)});
  }
  return accesses;
}

BusRequest Software::draw(traffic::Random& random) const {
  constexpr std::array<std::uint16_t, 6> kStatus{IrqStatus::kAddress,    QueueTail::kAddress,
                                                 RmaCompleted::kAddress, RmaUnacknowledged::kAddress,
                                                 RmaError::kAddress,     MpeError::kAddress};
  const auto write = [&](const RegisterInfo& info) {
    return BusRequest{true, any_element(random, info), word(random, info)};
  };
  switch (random.below(14)) {
    case 0:
      return {true, IrqStatus::kAddress, IrqStatus::kWritable};
    case 1:
      return {true, RmaError::kAddress, RmaError{.clear = true}.encode()};
    case 2: {
      const std::vector<BusRequest> accesses = receiving();
      return accesses[random.below(static_cast<std::uint32_t>(accesses.size()))];
    }
    case 3:
    case 4:
      if (parameters_.num_routes != 0) return {true, Route::kAddress, route_word(random)};
      break;
    case 5:
    case 6:
    case 7:
    case 8: {
      const RegisterInfo& info = kRegisters[random.below(kRegisters.size())];
      // Software says what it has consumed, and changes no link of a context that may be at work.
      const bool kept = info.address == QueueHead::kAddress || info.address == MpeLink::kAddress;
      if (random.below(2) == 0 && !kept) return write(info);
      return {false, any_element(random, info), 0};
    }
    case 9:
      return write(RmaCommand::kInfo);
    case 10:
      return write(MpeCommand::kInfo);
    default:
      break;
  }
  return {false, kStatus[random.below(kStatus.size())], 0};
}

std::uint32_t Software::route_word(traffic::Random& random) const {
  const std::uint32_t bound = 1U << (topology_.ports() + parameters_.num_slots);
  const std::uint32_t ports = random.below(bound) & random.below(bound);
  const bool switched = random.below(8) == 0;
  const std::uint32_t known = random.below(parameters_.num_routes + 1);
  const std::uint32_t any = random.below(1U << Route::kIndexField.width);
  const std::uint32_t index = random.below(8) == 0 ? any : known;
  return Route{.ports = ports, .switched = switched, .index = index}.encode();
}

std::uint32_t Software::word(traffic::Random& random, const RegisterInfo& info) const {
  std::uint32_t word = 0;
  for (const RegisterField& field : info.fields) {
    const std::uint64_t mask = (std::uint64_t{1} << field.width) - 1;
    const std::uint64_t value = random.below(4) == 0 ? 0 : random.next() & mask;
    if (field.writable) word |= static_cast<std::uint32_t>(value << field.lsb);
  }
  return limited(random, info.address, word);
}

std::uint32_t Software::limited(traffic::Random& random, std::uint16_t address, std::uint32_t word) const {
  switch (address) {
    case QueueBase::kAddress:
    case RegionBase::kAddress:
      return word & ~(kWordBytes - 1);
    case RmaLocal::kAddress:
    case RmaOffset::kAddress:
      return random.below(8) == 0 ? word : word & ~(kWordBytes - 1);
    case MpeSource::kAddress:
    case MpeDestination::kAddress:
      return word & ~(kElementBytes - 1);
    case RmaLength::kAddress:
      return word % kMostBytes;
    case MpeCount::kAddress:
      return word % kMostElements;
    case RmaRemote::kAddress: {
      RmaRemote remote = RmaRemote::decode(word);
      remote.node = any_node(random);
      return remote.encode();
    }
    case MpeLink::kAddress: {
      MpeLink link = MpeLink::decode(word);
      link.node = any_node(random);
      return link.encode();
    }
    case RmaCommand::kAddress: {
      RmaCommand command = RmaCommand::decode(word);
      // A single node has no answer to a GET.
      const auto operation = static_cast<rma_pkg::RmaOperation>(command.operation);
      if (operation == rma_pkg::RmaOperation::kGet) {
        command.operation = static_cast<std::uint32_t>(rma_pkg::RmaOperation::kMessage);
      }
      command.static_route = command.static_route && parameters_.num_routes != 0;
      return command.encode();
    }
    case MpeCommand::kAddress: {
      MpeCommand command = MpeCommand::decode(word);
      command.parent = random.below(2) == 0 ? mpe_pkg::kNoLink : random.below(parameters_.mpe_links);
      command.children &= (1U << parameters_.mpe_links) - 1;
      command.children &= ~(1U << command.parent);
      const auto element = static_cast<tidings_pkg::Element>(command.element);
      const bool integer = element == tidings_pkg::Element::kInt32 || element == tidings_pkg::Element::kInt64;
      command.combine %= integer ? kCombines : kCombinesOfFloat;
      return command.encode();
    }
    case Route::kAddress:
      return route_word(random);
    default:
      return word;
  }
}

std::uint32_t Software::any_node(traffic::Random& random) const {
  return topology_.id(NodeIndex{random.below(topology_.hosts())}).value;
}

}  // namespace tidings::verify
