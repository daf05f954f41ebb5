// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/slot_registers.h"

namespace tidings::cycle {
namespace {

using namespace registers;

/// The element of an array of registers that an address is of.
template <typename Register>
constexpr unsigned element_of(std::uint16_t address) {
  return (address - Register::kAddress) / Register::kInfo.stride;
}

}  // namespace

SlotRegisters::SlotRegisters(const NodeParameters& parameters, tidings::Engines engines, std::uint32_t static_flits,
                             NodeId node, SlotId slot)
    : parameters_(parameters), engines_(engines), static_flits_(static_flits), node_(node), slot_(slot) {}

std::uint32_t SlotRegisters::causes(const SlotStatus& status) const {
  IrqStatus causes = irq_sticky_;
  causes.message = status.queue_tail != queue_.head;
  causes.rma_idle = status.rma_idle;
  causes.engines = status.engines_waiting;
  return causes.encode();
}

rma_pkg::RmaCommand SlotRegisters::rma_command() const {
  const auto word = registers::RmaCommand::decode(bus_.data);
  rma_pkg::RmaCommand command = rma_command_;
  command.operation = static_cast<RmaOperation>(word.operation);
  command.notify = word.notify;
  command.static_route = word.static_route;
  return command;
}

std::uint32_t SlotRegisters::read(std::uint16_t address, const SlotStatus& status) const {
  if (RegionBase::holds(address)) return regions_[element_of<RegionBase>(address)].base;
  if (RegionLength::holds(address)) return regions_[element_of<RegionLength>(address)].length;
  if (RegionRights::holds(address)) {
    const RmaRegion& region = regions_[element_of<RegionRights>(address)];
    return RegionRights{
        .valid = region.valid, .read = region.readable, .write = region.writable, .routes = region.routes}
        .encode();
  }
  switch (address) {
    case Id::kAddress:
      return Id::kReset;
    case Address::kAddress:
      return Address{.node = node_.value, .slot = slot_.value}.encode();
    case Sizes::kAddress:
      return Sizes{.regions = parameters_.rma_regions,
                   .links = (engines_ & engine_bit(Engine::kMpe)) != 0 ? parameters_.mpe_links : 0,
                   .command_depth = parameters_.rma_command_depth,
                   .message_words = parameters_.message_words}
          .encode();
    case registers::Engines::kAddress:
      return registers::Engines{.present = engines_}.encode();
    case IrqStatus::kAddress:
      return causes(status);
    case IrqEnable::kAddress:
      return irq_enable_;
    case QueueBase::kAddress:
      return queue_.base;
    case QueueSize::kAddress:
      return QueueSize{.log2_slots = queue_.log2_slots, .valid = queue_.valid}.encode();
    case QueueTail::kAddress:
      return status.queue_tail;
    case QueueHead::kAddress:
      return queue_.head;
    case RmaLocal::kAddress:
      return rma_command_.local_address;
    case RmaRemote::kAddress:
      return RmaRemote{.node = rma_command_.node.value, .slot = rma_command_.slot.value, .region = rma_command_.region}
          .encode();
    case RmaOffset::kAddress:
      return rma_command_.offset;
    case RmaLength::kAddress:
      return rma_command_.length;
    case registers::RmaCommand::kAddress:
      return rma_command_word_;
    case RmaCompleted::kAddress:
      return status.rma_completed;
    case RmaUnacknowledged::kAddress:
      return status.rma_unacknowledged;
    case registers::RmaError::kAddress:
      return registers::RmaError{.code = static_cast<std::uint32_t>(status.rma_error.code),
                                 .node = status.rma_error.node.value,
                                 .slot = status.rma_error.slot.value}
          .encode();
    case Route::kAddress:
      return route_;
    case RouteSizes::kAddress:
      return RouteSizes{.routes = parameters_.num_routes, .flits = parameters_.num_routes == 0 ? 0 : static_flits_}
          .encode();
    default:
      return 0;
  }
}

void SlotRegisters::write(std::uint16_t address, std::uint32_t data) {
  if (RegionBase::holds(address)) {
    regions_[element_of<RegionBase>(address)].base = data;
    return;
  }
  if (RegionLength::holds(address)) {
    regions_[element_of<RegionLength>(address)].length = data;
    return;
  }
  if (RegionRights::holds(address)) {
    const auto word = RegionRights::decode(data);
    RmaRegion& region = regions_[element_of<RegionRights>(address)];
    region.valid = word.valid;
    region.readable = word.read;
    region.writable = word.write;
    region.routes = word.routes;
    return;
  }
  switch (address) {
    case IrqStatus::kAddress:
      irq_sticky_ = IrqStatus::decode(irq_sticky_.encode() & ~data);
      break;
    case IrqEnable::kAddress:
      irq_enable_ = data & IrqEnable::kWritable;
      break;
    case QueueBase::kAddress:
      queue_.base = data;
      break;
    case QueueSize::kAddress: {
      const auto word = QueueSize::decode(data);
      queue_.log2_slots = static_cast<std::uint8_t>(word.log2_slots);
      queue_.valid = word.valid;
      break;
    }
    case QueueHead::kAddress:
      queue_.head = static_cast<std::uint16_t>(QueueHead::decode(data).count);
      break;
    case RmaLocal::kAddress:
      rma_command_.local_address = data;
      break;
    case RmaRemote::kAddress: {
      const auto word = RmaRemote::decode(data);
      rma_command_.node = NodeId{static_cast<std::uint16_t>(word.node)};
      rma_command_.slot = SlotId{static_cast<std::uint8_t>(word.slot)};
      rma_command_.region = static_cast<std::uint8_t>(word.region);
      break;
    }
    case RmaOffset::kAddress:
      rma_command_.offset = data;
      break;
    case RmaLength::kAddress:
      rma_command_.length = data;
      break;
    case registers::RmaCommand::kAddress:
      rma_command_word_ = data & registers::RmaCommand::kWritable;
      break;
    case Route::kAddress:
      route_ = data & Route::kWritable;
      break;
    default:
      break;
  }
}

void SlotRegisters::edge(const BusRequest* bus, const SlotStatus& status, const SlotEvents& events,
                         std::uint32_t engine_data) {
  const tidings::Engines engine = addressed_engine();
  read_valid_ = valid_ && !bus_.write;
  read_data_ = 0;
  if (read_valid_) read_data_ = engine != 0 ? engine_data : read(bus_.address, status);
  if (valid_ && bus_.write && engine == 0) write(bus_.address, bus_.data);
  // A cause that arises in the cycle of a write stays set.
  irq_sticky_.rma_done |= events.rma_notify;
  irq_sticky_.done |= events.done;
  // A write to an engine that is not there is lost, and software is told.
  const bool lost = valid_ && bus_.write && (engine & ~engines_) != 0;
  irq_sticky_.error |= events.failed || lost;
  irq_sticky_.route_error |= events.route_error;
  valid_ = bus != nullptr;
  if (valid_) bus_ = *bus;
}

}  // namespace tidings::cycle
