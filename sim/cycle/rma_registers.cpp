// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/rma_registers.h"

namespace tidings::cycle {
namespace {

using namespace registers;

/// The element of an array of registers that an address is of.
template <typename Register>
constexpr unsigned element_of(std::uint16_t address) {
  return (address - Register::kAddress) / Register::kInfo.stride;
}

}  // namespace

rma_pkg::RmaCommand RmaRegisters::command(std::uint32_t written) const {
  const auto word = registers::RmaCommand::decode(written);
  rma_pkg::RmaCommand command = command_;
  command.operation = static_cast<RmaOperation>(word.operation);
  command.notify = word.notify;
  command.static_route = word.static_route;
  command.inline_data = word.inline_data;
  return command;
}

NameCommand RmaRegisters::name_command(std::uint32_t written) const {
  const auto word = RmaNameCommand::decode(written);
  return {.operation = static_cast<NameOperation>(word.operation),
          .number = static_cast<std::uint8_t>(word.index),
          .readable = word.read != 0,
          .writable = word.write != 0,
          .base = name_base_,
          .length = name_length_};
}

std::uint32_t RmaRegisters::read(std::uint16_t address, const RmaInitiator& initiator, const RmaTarget& target,
                                 const NameResult& name) const {
  if (RmaRegionBase::holds(address)) return regions_[element_of<RmaRegionBase>(address)].base;
  if (RmaRegionLength::holds(address)) return regions_[element_of<RmaRegionLength>(address)].length;
  if (RmaRegionRights::holds(address)) {
    const RmaRegion& region = regions_[element_of<RmaRegionRights>(address)];
    return RmaRegionRights{
        .valid = region.valid, .read = region.readable, .write = region.writable, .routes = region.routes}
        .encode();
  }
  switch (address) {
    case RmaSizes::kAddress:
      return RmaSizes{.regions = parameters_.rma_regions,
                      .command_depth = parameters_.rma_command_depth,
                      .atomics = parameters_.rma_atomics != 0,
                      .message_words = parameters_.message_words}
          .encode();
    case RmaNameSizes::kAddress:
      return RmaNameSizes{.names = parameters_.rma_names}.encode();
    case RmaNameBase::kAddress:
      return name_base_;
    case RmaNameLength::kAddress:
      return name_length_;
    case RmaNameCommand::kAddress:
      return name_word_;
    case RmaNameResult::kAddress:
      return RmaNameResult{.index = name.number, .found = name.found, .busy = name.busy, .lost = name_lost_}.encode();
    case RmaQueueBase::kAddress:
      return queue_.base;
    case RmaQueueSize::kAddress:
      return RmaQueueSize{.log2_slots = queue_.log2_slots, .valid = queue_.valid}.encode();
    case RmaQueueTail::kAddress:
      return target.queue_tail();
    case RmaQueueHead::kAddress:
      return queue_.head;
    case RmaLocalAddress::kAddress:
      return command_.local_address;
    case RmaRemote::kAddress:
      return RmaRemote{.node = command_.node.value, .slot = command_.slot.value, .region = command_.region}.encode();
    case RmaOffset::kAddress:
      return command_.offset;
    case RmaLength::kAddress:
      return command_.length;
    case registers::RmaCommand::kAddress:
      return command_word_;
    case RmaCompleted::kAddress:
      return initiator.completed();
    case RmaUnacknowledged::kAddress:
      return initiator.unacknowledged();
    case registers::RmaError::kAddress:
      return registers::RmaError{.code = static_cast<std::uint32_t>(initiator.error().code),
                                 .node = initiator.error().node.value,
                                 .slot = initiator.error().slot.value}
          .encode();
    default:
      return 0;
  }
}

void RmaRegisters::write(std::uint16_t address, std::uint32_t data) {
  if (RmaRegionBase::holds(address)) {
    regions_[element_of<RmaRegionBase>(address)].base = data;
    return;
  }
  if (RmaRegionLength::holds(address)) {
    regions_[element_of<RmaRegionLength>(address)].length = data;
    return;
  }
  if (RmaRegionRights::holds(address)) {
    const auto word = RmaRegionRights::decode(data);
    RmaRegion& region = regions_[element_of<RmaRegionRights>(address)];
    region.valid = word.valid;
    region.readable = word.read;
    region.writable = word.write;
    region.routes = word.routes;
    return;
  }
  switch (address) {
    case RmaNameBase::kAddress:
      name_base_ = data;
      break;
    case RmaNameLength::kAddress:
      name_length_ = data;
      break;
    case RmaNameCommand::kAddress:
      name_word_ = data & RmaNameCommand::kWritable;
      break;
    case RmaNameResult::kAddress:
      if (RmaNameResult::decode(data).lost != 0) name_lost_ = false;
      break;
    case RmaQueueBase::kAddress:
      queue_.base = data;
      break;
    case RmaQueueSize::kAddress: {
      const auto word = RmaQueueSize::decode(data);
      queue_.log2_slots = static_cast<std::uint8_t>(word.log2_slots);
      queue_.valid = word.valid;
      break;
    }
    case RmaQueueHead::kAddress:
      queue_.head = static_cast<std::uint16_t>(RmaQueueHead::decode(data).count);
      break;
    case RmaLocalAddress::kAddress:
      command_.local_address = data;
      break;
    case RmaRemote::kAddress: {
      const auto word = RmaRemote::decode(data);
      command_.node = NodeId{static_cast<std::uint16_t>(word.node)};
      command_.slot = SlotId{static_cast<std::uint8_t>(word.slot)};
      command_.region = static_cast<std::uint8_t>(word.region);
      break;
    }
    case RmaOffset::kAddress:
      command_.offset = data;
      break;
    case RmaLength::kAddress:
      command_.length = data;
      break;
    case registers::RmaCommand::kAddress:
      command_word_ = data & registers::RmaCommand::kWritable;
      break;
    default:
      break;
  }
}

}  // namespace tidings::cycle
