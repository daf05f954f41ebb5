// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/slot_registers.h"

namespace tidings::cycle {
namespace {

constexpr std::uint32_t kMagic = 0x54494431;
constexpr std::uint16_t kLinksBegin = 0x200, kLinksEnd = 0x300, kRegionsBegin = 0x400, kRegionsEnd = 0x500;
constexpr std::uint32_t kIrqMessage = 1U << 0, kIrqRmaDone = 1U << 1, kIrqMpeDone = 1U << 2, kIrqError = 1U << 3,
                        kIrqRmaIdle = 1U << 4, kIrqRouteError = 1U << 5;
constexpr std::uint32_t kRmaCommandBits = 0x0000'0303, kMpeCommandBits = 0xffff'0f7f;

/// Bits of a register as a number.
constexpr std::uint32_t field(std::uint32_t word, unsigned high, unsigned low) {
  return word >> low & ((1U << (high - low + 1)) - 1);
}

}  // namespace

SlotRegisters::SlotRegisters(const RmaParameters& rma, const MpeParameters& mpe, RouteSizes sizes, NodeId node,
                             SlotId slot)
    : rma_(rma), mpe_(mpe), sizes_(sizes), node_(node), slot_(slot) {}

std::uint32_t SlotRegisters::causes(const SlotStatus& status) const {
  return irq_sticky_ | (status.queue_tail != queue_.head ? kIrqMessage : 0) | (status.rma_idle ? kIrqRmaIdle : 0);
}

RmaCommand SlotRegisters::rma_command() const {
  RmaCommand command = rma_command_;
  command.operation = static_cast<RmaOperation>(field(bus_.data, 1, 0));
  command.notify = field(bus_.data, 8, 8) != 0;
  command.static_route = field(bus_.data, 9, 9) != 0;
  return command;
}

MpeCommand SlotRegisters::mpe_command() const {
  MpeCommand command = mpe_command_;
  command.exchange = field(bus_.data, 27, 27) != 0;
  command.swap = static_cast<std::uint8_t>(field(bus_.data, 31, 28));
  command.context = static_cast<std::uint8_t>(field(bus_.data, 26, 24));
  command.operation = static_cast<Collective>(field(bus_.data, 1, 0));
  command.element = static_cast<Element>(field(bus_.data, 3, 2));
  command.combine = static_cast<Combine>(field(bus_.data, 6, 4));
  command.parent = static_cast<std::uint8_t>(field(bus_.data, 11, 8));
  command.children = static_cast<std::uint8_t>(field(bus_.data, 23, 16));
  return command;
}

std::uint32_t SlotRegisters::read_region(std::uint16_t address) const {
  const RmaRegion& region = regions_[field(address, 7, 4)];
  switch (address & 0xfU) {
    case 0x0:
      return region.base;
    case 0x4:
      return region.length;
    case 0x8:
      return (region.valid ? 1U : 0) | (region.readable ? 2U : 0) | (region.writable ? 4U : 0) |
             (region.routes ? 8U : 0);
    default:
      return 0;
  }
}

std::uint32_t SlotRegisters::read(std::uint16_t address, const SlotStatus& status) const {
  if (address >= kRegionsBegin && address < kRegionsEnd) return read_region(address);
  if (address % 4 != 0) return 0;
  if (address >= kLinksBegin && address < kLinksEnd) {
    const MpeLink& link = links_[(address - kLinksBegin) / 4U];
    return link.node.value | static_cast<std::uint32_t>(link.slot.value) << 12 |
           static_cast<std::uint32_t>(link.peer_link) << 16 | (link.direct ? 1U << 20 : 0);
  }
  switch (address) {
    case 0x000:
      return kMagic;
    case 0x004:
      return node_.value | static_cast<std::uint32_t>(slot_.value) << 12;
    case 0x008:
      return (rma_.regions & 0xffU) | (mpe_.links & 0xfU) << 8 | (rma_.command_depth & 0xffU) << 12 |
             (rma_.message_words & 0xfffU) << 20;
    case 0x00c:
      return mpe_.contexts | mpe_.combine_ports << 4 | (mpe_.packet_words & 0xffU) << 8 | mpe_.direct_links << 16 |
             (mpe_.multicast ? 1U << 20 : 0) | (mpe_.wide_elements ? 1U << 21 : 0);
    case 0x010:
      return causes(status);
    case 0x014:
      return irq_enable_;
    case 0x020:
      return queue_.base;
    case 0x024:
      return queue_.log2_slots | (queue_.valid ? 1U << 8 : 0);
    case 0x028:
      return status.queue_tail;
    case 0x02c:
      return queue_.head;
    case 0x040:
      return rma_command_.local_address;
    case 0x044:
      return rma_command_.node.value | static_cast<std::uint32_t>(rma_command_.slot.value) << 12 |
             static_cast<std::uint32_t>(rma_command_.region) << 16;
    case 0x048:
      return rma_command_.offset;
    case 0x04c:
      return rma_command_.length;
    case kRmaCommand:
      return rma_command_word_;
    case 0x054:
      return status.rma_completed;
    case 0x058:
      return status.rma_unacknowledged;
    case kRmaError:
      return status.rma_error.code | static_cast<std::uint32_t>(status.rma_error.node.value) << 4 |
             static_cast<std::uint32_t>(status.rma_error.slot.value) << 16;
    case 0x080:
      return mpe_command_.source;
    case 0x084:
      return mpe_command_.destination;
    case 0x088:
      return mpe_command_.count;
    case 0x08c:
      return mpe_command_.descriptor;
    case kMpeCommand:
      return mpe_command_word_;
    case 0x094:
      return status.mpe_completed;
    case 0x098:
      return (status.mpe_error.mismatch ? 1U : 0) | static_cast<std::uint32_t>(status.mpe_error.link) << 4 |
             (status.mpe_error.overflow ? 1U << 8 : 0) | (status.mpe_error.unsupported ? 1U << 9 : 0) |
             static_cast<std::uint32_t>(status.mpe_error.context) << 12;
    case 0x09c:
      return status.mpe_error.received;
    case kRoute:
      return route_;
    case 0x104:
      return sizes_.routes | (sizes_.routes == 0 ? 0 : sizes_.flits << 8);
    default:
      return 0;
  }
}

void SlotRegisters::write_region(std::uint16_t address, std::uint32_t data) {
  RmaRegion& region = regions_[field(address, 7, 4)];
  switch (address & 0xfU) {
    case 0x0:
      region.base = data;
      break;
    case 0x4:
      region.length = data;
      break;
    case 0x8:
      region.valid = (data & 1U) != 0;
      region.readable = (data & 2U) != 0;
      region.writable = (data & 4U) != 0;
      region.routes = (data & 8U) != 0;
      break;
    default:
      break;
  }
}

void SlotRegisters::write(std::uint16_t address, std::uint32_t data) {
  if (address >= kRegionsBegin && address < kRegionsEnd) {
    write_region(address, data);
    return;
  }
  if (address % 4 != 0) return;
  const NodeId node{static_cast<std::uint16_t>(field(data, 11, 0))};
  const SlotId slot{static_cast<std::uint8_t>(field(data, 15, 12))};
  if (address >= kLinksBegin && address < kLinksEnd) {
    links_[(address - kLinksBegin) / 4U] = {.node = node,
                                            .slot = slot,
                                            .peer_link = static_cast<std::uint8_t>(field(data, 19, 16)),
                                            .direct = field(data, 20, 20) != 0};
    return;
  }
  switch (address) {
    case 0x010:
      irq_sticky_ &= ~data;
      break;
    case 0x014:
      irq_enable_ = data & 0x3fU;
      break;
    case 0x020:
      queue_.base = data;
      break;
    case 0x024:
      queue_.log2_slots = static_cast<std::uint8_t>(field(data, 3, 0));
      queue_.valid = field(data, 8, 8) != 0;
      break;
    case 0x02c:
      queue_.head = static_cast<std::uint16_t>(data);
      break;
    case 0x040:
      rma_command_.local_address = data;
      break;
    case 0x044:
      rma_command_.node = node;
      rma_command_.slot = slot;
      rma_command_.region = static_cast<std::uint8_t>(field(data, 23, 16));
      break;
    case 0x048:
      rma_command_.offset = data;
      break;
    case 0x04c:
      rma_command_.length = data;
      break;
    case kRmaCommand:
      rma_command_word_ = data & kRmaCommandBits;
      break;
    case 0x080:
      mpe_command_.source = data;
      break;
    case 0x084:
      mpe_command_.destination = data;
      break;
    case 0x088:
      mpe_command_.count = data;
      break;
    case 0x08c:
      mpe_command_.descriptor = data;
      break;
    case kMpeCommand:
      mpe_command_word_ = data & kMpeCommandBits;
      break;
    case kRoute:
      route_ = data & kRouteBits;
      break;
    default:
      break;
  }
}

void SlotRegisters::clock(const BusRequest* bus, const SlotStatus& status, const SlotEvents& events) {
  read_valid_ = valid_ && !bus_.write;
  read_data_ = read_valid_ ? read(bus_.address, status) : 0;
  if (valid_ && bus_.write) write(bus_.address, bus_.data);
  // A cause that arises in the cycle of a write stays set.
  if (events.rma_notify) irq_sticky_ |= kIrqRmaDone;
  if (events.mpe_done) irq_sticky_ |= kIrqMpeDone;
  if (events.failed) irq_sticky_ |= kIrqError;
  if (events.route_error) irq_sticky_ |= kIrqRouteError;
  valid_ = bus != nullptr;
  if (valid_) bus_ = *bus;
}

}  // namespace tidings::cycle
