// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/slot_registers.h"

#include "sim/machine/machine_config.h"

namespace tidings::cycle {
namespace {

using namespace registers;

}  // namespace

SlotRegisters::SlotRegisters(const NodeParameters& parameters, tidings::Engines engines, std::uint32_t static_flits,
                             NodeId node, SlotId slot)
    : parameters_(parameters), engines_(engines), static_flits_(static_flits), node_(node), slot_(slot) {}

std::uint32_t SlotRegisters::causes(const SlotStatus& status) const {
  IrqStatus causes = irq_sticky_;
  causes.waiting = status.waiting;
  causes.idle = status.idle;
  return causes.encode();
}

std::uint32_t SlotRegisters::read(std::uint16_t address, const SlotStatus& status) const {
  switch (address) {
    case Id::kAddress:
      return Id::kReset;
    case Address::kAddress:
      return Address{.node = node_.value, .slot = slot_.value}.encode();
    case registers::Engines::kAddress:
      return registers::Engines{.present = engines_}.encode();
    case IrqStatus::kAddress:
      return causes(status);
    case IrqEnable::kAddress:
      return irq_enable_;
    case Route::kAddress:
      return route_;
    case RouteSizes::kAddress:
      if (parameters_.num_routes == 0) return 0;
      return RouteSizes{.routes = parameters_.num_routes,
                        .flits = static_flits_,
                        .groups = (parameters_.num_slots + kMaxSlots - 1) / kMaxSlots}
          .encode();
    default:
      return 0;
  }
}

void SlotRegisters::write(std::uint16_t address, std::uint32_t data) {
  switch (address) {
    case IrqStatus::kAddress:
      irq_sticky_ = IrqStatus::decode(irq_sticky_.encode() & ~data);
      break;
    case IrqEnable::kAddress:
      irq_enable_ = data & IrqEnable::kWritable;
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
  irq_sticky_.done |= events.done;
  // A write to an engine that is not there is lost, and software is told.
  const bool lost = valid_ && bus_.write && (engine & ~engines_) != 0;
  irq_sticky_.error |= events.failed || lost;
  irq_sticky_.route_error |= events.route_error;
  valid_ = bus != nullptr;
  if (valid_) bus_ = *bus;
}

}  // namespace tidings::cycle
