// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/benchmark/slot_commands.h"

namespace tidings {
namespace {

using rma_pkg::RmaOperation;

registers::RmaCommand command(RmaOperation operation, bool static_route = false) {
  return {.operation = static_cast<std::uint32_t>(operation), .notify = false, .static_route = static_route};
}

}  // namespace

void SlotCommands::enable_interrupts(Cycle at, std::uint32_t causes) {
  write(at, registers::IrqEnable::kAddress, causes);
}

void SlotCommands::clear_interrupts(Cycle at, std::uint32_t causes) {
  write(at, registers::IrqStatus::kAddress, causes);
}

void SlotCommands::clear_error(Cycle at) {
  write(at, registers::RmaError::kAddress, registers::RmaError{.clear = true}.encode());
}

void SlotCommands::set_queue(Cycle at, std::uint32_t base, std::uint32_t log2_slots) {
  write(at, registers::RmaQueueBase::kAddress, base);
  write(at, registers::RmaQueueSize::kAddress,
        registers::RmaQueueSize{.log2_slots = log2_slots, .valid = true}.encode());
}

void SlotCommands::set_queue_head(Cycle at, std::uint32_t count) {
  write(at, registers::RmaQueueHead::kAddress, registers::RmaQueueHead{.count = count}.encode());
}

void SlotCommands::register_region(Cycle at, std::uint32_t row, std::uint32_t base, std::uint32_t bytes, bool read,
                                   bool write_right) {
  write(at, registers::RmaRegionBase::at(row), base);
  write(at, registers::RmaRegionLength::at(row), bytes);
  write(at, registers::RmaRegionRights::at(row),
        registers::RmaRegionRights{.valid = true, .read = read, .write = write_right}.encode());
}

void SlotCommands::register_routes(Cycle at, std::uint32_t row, std::uint32_t bytes) {
  write(at, registers::RmaRegionLength::at(row), bytes);
  write(at, registers::RmaRegionRights::at(row),
        registers::RmaRegionRights{.valid = true, .write = true, .routes = true}.encode());
}

void SlotCommands::message(Cycle at, Endpoint to, std::uint32_t local, std::uint32_t bytes) {
  rma(at, command(RmaOperation::kMessage), to, local, 0, 0, bytes);
}

void SlotCommands::static_message(Cycle at, std::uint32_t route, std::uint32_t local, std::uint32_t bytes) {
  const Endpoint remote{.node = NodeId{static_cast<std::uint16_t>(route)}, .slot = SlotId{0}};
  rma(at, command(RmaOperation::kMessage, true), remote, local, 0, 0, bytes);
}

void SlotCommands::route(Cycle at, std::uint32_t route, std::uint32_t ports, bool switched) {
  write(at, registers::Route::kAddress,
        registers::Route{.ports = ports, .switched = switched, .index = route}.encode());
}

void SlotCommands::put(Cycle at, Endpoint to, std::uint32_t local, std::uint32_t region, std::uint32_t offset,
                       std::uint32_t bytes) {
  rma(at, command(RmaOperation::kPut), to, local, region, offset, bytes);
}

void SlotCommands::get(Cycle at, Endpoint from, std::uint32_t local, std::uint32_t region, std::uint32_t offset,
                       std::uint32_t bytes) {
  rma(at, command(RmaOperation::kGet), from, local, region, offset, bytes);
}

void SlotCommands::atomic(Cycle at, Endpoint target, std::uint32_t local, std::uint32_t region, std::uint32_t offset,
                          tidings_pkg::AtomicLength access) {
  rma(at, command(RmaOperation::kAtomic), target, local, region, offset, access.encode());
}

void SlotCommands::tree_link(Cycle at, std::uint32_t link, Endpoint neighbour, std::uint32_t peer_link, bool direct) {
  const registers::MpeLink row{
      .node = neighbour.node.value, .slot = neighbour.slot.value, .peer_link = peer_link, .direct = direct};
  write(at, registers::MpeLink::at(0, link), row.encode());
}

void SlotCommands::collective(Cycle at, tidings_pkg::Collective operation, tidings_pkg::Element element,
                              std::uint32_t parent, std::uint32_t children, std::uint32_t source,
                              std::uint32_t destination, std::uint32_t count) {
  collective(at,
             {.operation = static_cast<std::uint32_t>(operation),
              .element = static_cast<std::uint32_t>(element),
              .parent = parent,
              .children = children},
             source, destination, count);
}

void SlotCommands::exchange(Cycle at, tidings_pkg::Collective operation, tidings_pkg::Element element,
                            std::uint32_t links, std::uint32_t source, std::uint32_t destination, std::uint32_t count,
                            std::uint32_t swap) {
  collective(at,
             {.operation = static_cast<std::uint32_t>(operation),
              .element = static_cast<std::uint32_t>(element),
              .children = links,
              .exchange = true,
              .swap = swap},
             source, destination, count);
}

void SlotCommands::collective(Cycle at, const registers::MpeCommand& command, std::uint32_t source,
                              std::uint32_t destination, std::uint32_t count) {
  write(at, registers::MpeSource::kAddress, source);
  write(at, registers::MpeDestination::kAddress, destination);
  write(at, registers::MpeCount::kAddress, count);
  write(at, registers::MpeDescriptor::kAddress, count);
  write(at, registers::MpeCommand::kAddress, command.encode());
}

void SlotCommands::join_barrier(Cycle at, std::uint32_t group, std::uint64_t mates) {
  constexpr unsigned kWidth = registers::BarrierFarMates::kSlotsField.width;
  constexpr std::uint32_t kAll = (1U << kWidth) - 1;
  static_assert(registers::BarrierGroup::kMatesField.width == kWidth);
  std::uint32_t word = 0;
  for (std::uint64_t far = mates >> kWidth; far != 0; far >>= kWidth) {
    const auto slots = static_cast<std::uint32_t>(far & kAll);
    write(at, registers::BarrierFarMates::at(word++), registers::BarrierFarMates{.slots = slots}.encode());
  }
  const auto near = static_cast<std::uint32_t>(mates & kAll);
  write(at, registers::BarrierGroup::at(group), registers::BarrierGroup{.member = true, .mates = near}.encode());
}

void SlotCommands::enable_barriers(Cycle at, std::uint32_t groups) {
  write(at, registers::BarrierEnable::kAddress, registers::BarrierEnable{.groups = groups}.encode());
}

void SlotCommands::arrive(Cycle at) {
  write(at, registers::BarrierArrive::kAddress, registers::BarrierArrive{.groups = 1}.encode());
}

void SlotCommands::write(Cycle at, std::uint16_t address, std::uint32_t data) {
  machine_->bus_write(endpoint_, at, address, data);
}

void SlotCommands::rma(Cycle at, const registers::RmaCommand& command, Endpoint remote, std::uint32_t local,
                       std::uint32_t region, std::uint32_t offset, std::uint32_t bytes) {
  const registers::RmaRemote to{.node = remote.node.value, .slot = remote.slot.value, .region = region};
  write(at, registers::RmaLocalAddress::kAddress, local);
  write(at, registers::RmaRemote::kAddress, to.encode());
  write(at, registers::RmaOffset::kAddress, offset);
  write(at, registers::RmaLength::kAddress, bytes);
  write(at, registers::RmaCommand::kAddress, command.encode());
}

}  // namespace tidings
