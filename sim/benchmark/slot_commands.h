// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file slot_commands.h
/// The commands of a slot as bus writes, for benchmarks and tests that drive a machine without ranks.
#include <cstdint>

#include "generated/registers.h"
#include "generated/rma_pkg.h"
#include "generated/tidings_pkg.h"
#include "sim/machine/machine.h"

namespace tidings {

/// Issues commands to one slot. Every function queues its bus writes for cycles from `at` on.
class SlotCommands {
 public:
  SlotCommands(Machine& machine, Endpoint endpoint) : machine_(&machine), endpoint_(endpoint) {}

  [[nodiscard]] Endpoint endpoint() const { return endpoint_; }

  void enable_interrupts(Cycle at, std::uint32_t causes);
  void clear_interrupts(Cycle at, std::uint32_t causes);
  /// Forgets the refusal that rma_error shows.
  void clear_error(Cycle at);
  /// A ring of 2^log2_slots messages of 256 bytes.
  void set_queue(Cycle at, std::uint32_t base, std::uint32_t log2_slots);
  void set_queue_head(Cycle at, std::uint32_t count);
  void register_region(Cycle at, std::uint32_t row, std::uint32_t base, std::uint32_t bytes, bool read, bool write);
  /// A region that stands for the router's table of static routes: words that are PUT there change it.
  void register_routes(Cycle at, std::uint32_t row, std::uint32_t bytes);
  void message(Cycle at, Endpoint to, std::uint32_t local, std::uint32_t bytes);
  /// A message to all slots that a static route reaches.
  void static_message(Cycle at, std::uint32_t route, std::uint32_t local, std::uint32_t bytes);
  /// Changes a static route of the slot's router. @param ports output ports, one bit each.
  void route(Cycle at, std::uint32_t route, std::uint32_t ports, bool switched = false);
  void put(Cycle at, Endpoint to, std::uint32_t local, std::uint32_t region, std::uint32_t offset, std::uint32_t bytes);
  void get(Cycle at, Endpoint from, std::uint32_t local, std::uint32_t region, std::uint32_t offset,
           std::uint32_t bytes);
  /// @param local where the operand is, and what compare and swap compares with; the old value comes in its place.
  void atomic(Cycle at, Endpoint target, std::uint32_t local, std::uint32_t region, std::uint32_t offset,
              tidings_pkg::AtomicLength access);
  /// @param direct the neighbour is behind the network port of the link's number.
  void tree_link(Cycle at, std::uint32_t link, Endpoint neighbour, std::uint32_t peer_link, bool direct = false);
  /// A collective that sums. @param parent 15 at the root. @param children one bit per link.
  void collective(Cycle at, tidings_pkg::Collective operation, tidings_pkg::Element element, std::uint32_t parent,
                  std::uint32_t children, std::uint32_t source, std::uint32_t destination, std::uint32_t count);
  /// A barrier or a sum in rounds over `links`, one bit per link. @param swap pairs whose higher link comes first.
  void exchange(Cycle at, tidings_pkg::Collective operation, tidings_pkg::Element element, std::uint32_t links,
                std::uint32_t source, std::uint32_t destination, std::uint32_t count, std::uint32_t swap = 0);
  /// Becomes a member of a group of the barrier engine. @param mates where others are, one bit each.
  void join_barrier(Cycle at, std::uint32_t group, std::uint64_t mates);
  /// The barrier engine interrupts when a barrier of these groups is complete, one bit each.
  void enable_barriers(Cycle at, std::uint32_t groups);
  /// Arrives at the barrier of group 0.
  void arrive(Cycle at);
  void read(Cycle at, std::uint16_t address) { machine_->bus_read(endpoint_, at, address); }

 private:
  void write(Cycle at, std::uint16_t address, std::uint32_t data);
  void collective(Cycle at, const registers::MpeCommand& command, std::uint32_t source, std::uint32_t destination,
                  std::uint32_t count);
  void rma(Cycle at, const registers::RmaCommand& command, Endpoint remote, std::uint32_t local, std::uint32_t region,
           std::uint32_t offset, std::uint32_t bytes);

  Machine* machine_;
  Endpoint endpoint_;
};

}  // namespace tidings
