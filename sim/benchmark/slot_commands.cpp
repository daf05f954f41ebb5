// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/benchmark/slot_commands.h"

#include <slot_regs.h>

#include <cstddef>

namespace tidings {
namespace {

enum RmaOperation : std::uint32_t { kMessage = 0, kPut = 1, kGet = 2 };

std::uint32_t address_word(Endpoint endpoint) {
  return std::uint32_t{endpoint.node.value} | std::uint32_t{endpoint.slot.value} << SLOT_REGS__RMA_REMOTE__SLOT_bp;
}

std::uint32_t command_word(CollectiveOperation operation, ElementType element, std::uint32_t links) {
  return static_cast<std::uint32_t>(operation) << SLOT_REGS__MPE_COMMAND__OPERATION_bp |
         static_cast<std::uint32_t>(element) << SLOT_REGS__MPE_COMMAND__ELEMENT_bp |
         links << SLOT_REGS__MPE_COMMAND__CHILDREN_bp;
}

}  // namespace

const SlotRegisters& slot_registers() {
  static constexpr SlotRegisters kRegisters{.id = offsetof(slot_regs_t, id),
                                            .irq_status = offsetof(slot_regs_t, irq_status),
                                            .queue_tail = offsetof(slot_regs_t, queue_tail),
                                            .rma_completed = offsetof(slot_regs_t, rma_completed),
                                            .rma_unacknowledged = offsetof(slot_regs_t, rma_unacknowledged),
                                            .rma_error = offsetof(slot_regs_t, rma_error),
                                            .mpe_completed = offsetof(slot_regs_t, mpe_completed),
                                            .mpe_error = offsetof(slot_regs_t, mpe_error)};
  return kRegisters;
}

void SlotCommands::enable_interrupts(Cycle at, std::uint32_t causes) {
  write(at, offsetof(slot_regs_t, irq_enable), causes);
}

void SlotCommands::clear_interrupts(Cycle at, std::uint32_t causes) {
  write(at, offsetof(slot_regs_t, irq_status), causes);
}

void SlotCommands::clear_error(Cycle at) {
  write(at, offsetof(slot_regs_t, rma_error), SLOT_REGS__RMA_ERROR__CLEAR_bm);
}

void SlotCommands::set_queue(Cycle at, std::uint32_t base, std::uint32_t log2_slots) {
  write(at, offsetof(slot_regs_t, queue_base), base);
  write(at, offsetof(slot_regs_t, queue_size), log2_slots | SLOT_REGS__QUEUE_SIZE__VALID_bm);
}

void SlotCommands::set_queue_head(Cycle at, std::uint32_t count) {
  write(at, offsetof(slot_regs_t, queue_head), count & SLOT_REGS__QUEUE_HEAD__COUNT_bm);
}

void SlotCommands::register_region(Cycle at, std::uint32_t row, std::uint32_t base, std::uint32_t bytes, bool read,
                                   bool write_right) {
  const std::size_t region = offsetof(slot_regs_t, region) + row * sizeof(slot_regs_t::region[0]);
  write(at, region + offsetof(slot_regs__region__stride10_t, base), base);
  write(at, region + offsetof(slot_regs__region__stride10_t, length), bytes);
  write(at, region + offsetof(slot_regs__region__stride10_t, rights),
        1U << SLOT_REGS__REGION__RIGHTS__VALID_bp | std::uint32_t{read} << SLOT_REGS__REGION__RIGHTS__READ_bp |
            std::uint32_t{write_right} << SLOT_REGS__REGION__RIGHTS__WRITE_bp);
}

void SlotCommands::register_routes(Cycle at, std::uint32_t row, std::uint32_t bytes) {
  const std::size_t region = offsetof(slot_regs_t, region) + row * sizeof(slot_regs_t::region[0]);
  write(at, region + offsetof(slot_regs__region__stride10_t, length), bytes);
  write(
      at, region + offsetof(slot_regs__region__stride10_t, rights),
      SLOT_REGS__REGION__RIGHTS__VALID_bm | SLOT_REGS__REGION__RIGHTS__WRITE_bm | SLOT_REGS__REGION__RIGHTS__ROUTES_bm);
}

void SlotCommands::message(Cycle at, Endpoint to, std::uint32_t local, std::uint32_t bytes) {
  rma(at, kMessage, to, local, 0, 0, bytes);
}

void SlotCommands::static_message(Cycle at, std::uint32_t route, std::uint32_t local, std::uint32_t bytes) {
  const Endpoint remote{.node = NodeId{static_cast<std::uint16_t>(route)}, .slot = SlotId{0}};
  rma(at, kMessage | SLOT_REGS__RMA_COMMAND__STATIC_ROUTE_bm, remote, local, 0, 0, bytes);
}

void SlotCommands::route(Cycle at, std::uint32_t route, std::uint32_t ports, bool switched) {
  write(at, offsetof(slot_regs_t, route),
        ports << SLOT_REGS__ROUTE__PORTS_bp | std::uint32_t{switched} << SLOT_REGS__ROUTE__SWITCHED_bp |
            route << SLOT_REGS__ROUTE__INDEX_bp);
}

void SlotCommands::put(Cycle at, Endpoint to, std::uint32_t local, std::uint32_t region, std::uint32_t offset,
                       std::uint32_t bytes) {
  rma(at, kPut, to, local, region, offset, bytes);
}

void SlotCommands::get(Cycle at, Endpoint from, std::uint32_t local, std::uint32_t region, std::uint32_t offset,
                       std::uint32_t bytes) {
  rma(at, kGet, from, local, region, offset, bytes);
}

void SlotCommands::tree_link(Cycle at, std::uint32_t link, Endpoint neighbour, std::uint32_t peer_link, bool direct) {
  write(at, offsetof(slot_regs_t, mpe_link) + 4 * std::size_t{link},
        address_word(neighbour) | peer_link << SLOT_REGS__MPE_LINK__PEER_LINK_bp |
            std::uint32_t{direct} << SLOT_REGS__MPE_LINK__DIRECT_bp);
}

void SlotCommands::collective(Cycle at, CollectiveOperation operation, ElementType element, std::uint32_t parent,
                              std::uint32_t children, std::uint32_t source, std::uint32_t destination,
                              std::uint32_t count) {
  collective(at, command_word(operation, element, children) | parent << SLOT_REGS__MPE_COMMAND__PARENT_bp, source,
             destination, count);
}

void SlotCommands::exchange(Cycle at, CollectiveOperation operation, ElementType element, std::uint32_t links,
                            std::uint32_t source, std::uint32_t destination, std::uint32_t count, std::uint32_t swap) {
  collective(at,
             command_word(operation, element, links) | SLOT_REGS__MPE_COMMAND__EXCHANGE_bm |
                 swap << SLOT_REGS__MPE_COMMAND__SWAP_bp,
             source, destination, count);
}

void SlotCommands::collective(Cycle at, std::uint32_t command, std::uint32_t source, std::uint32_t destination,
                              std::uint32_t count) {
  write(at, offsetof(slot_regs_t, mpe_source), source);
  write(at, offsetof(slot_regs_t, mpe_destination), destination);
  write(at, offsetof(slot_regs_t, mpe_count), count);
  write(at, offsetof(slot_regs_t, mpe_descriptor), count);
  write(at, offsetof(slot_regs_t, mpe_command), command);
}

void SlotCommands::write(Cycle at, std::size_t address, std::uint32_t data) {
  machine_->bus_write(endpoint_, at, static_cast<std::uint16_t>(address), data);
}

void SlotCommands::rma(Cycle at, std::uint32_t operation, Endpoint remote, std::uint32_t local, std::uint32_t region,
                       std::uint32_t offset, std::uint32_t bytes) {
  write(at, offsetof(slot_regs_t, rma_local), local);
  write(at, offsetof(slot_regs_t, rma_remote), address_word(remote) | region << SLOT_REGS__RMA_REMOTE__REGION_bp);
  write(at, offsetof(slot_regs_t, rma_offset), offset);
  write(at, offsetof(slot_regs_t, rma_length), bytes);
  write(at, offsetof(slot_regs_t, rma_command), operation << SLOT_REGS__RMA_COMMAND__OPERATION_bp);
}

}  // namespace tidings
