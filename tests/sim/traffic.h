// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
#pragma once
/// @file traffic.h
/// Everything that software could ask of a machine's engines, drawn at random.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "sim/benchmark/slot_commands.h"
#include "sim/machine/machine.h"

namespace tidings::test {

/// Random commands from all slots to all slots: messages, PUTs, GETs and atomic accesses, some of them refused, static
/// routes, and collectives: over direct links from neighbour to neighbour, where the machine has them, or in a binary
/// tree.
class Traffic {
 public:
  Traffic(Machine& machine, std::uint32_t seed) : machine_(machine), generator_(seed) {
    const std::uint32_t slots = machine.topology().nodes() * machine.topology().slots();
    memory_.resize(std::size_t{slots} * kMemory);
    reads_.resize(slots);
    for (std::byte& byte : memory_) byte = static_cast<std::byte>(random(256));
    for (std::uint32_t rank = 0; rank < slots; ++rank) {
      const Endpoint endpoint = machine.topology().endpoint(rank);
      machine.attach_memory(endpoint, std::span(memory_).subspan(std::size_t{rank} * kMemory, kMemory));
      slots_.emplace_back(machine, endpoint);
      slots_.back().enable_interrupts(Cycle{0}, random(~std::uint32_t{0}));
      slots_.back().set_queue(Cycle{0}, kQueue, 3);
      slots_.back().register_region(Cycle{0}, 0, kRegions, kRegionBytes, true, true);
      slots_.back().register_region(Cycle{0}, 1, kRegions + kRegionBytes, kRegionBytes, true, false);
    }
    if (machine.config().node.barrier_slots != 0) join_barriers();
    tree_.resize(slots);
    tree_[0].reached = true;
    const bool direct = machine.config().node.direct_links && machine.topology().slots() == 1;
    if (direct && machine.topology().ports() != 0) {
      grow_over_links();
    } else {
      grow_binary();
    }
  }

  /// Bus reads so far, in the order of their answers.
  [[nodiscard]] const std::vector<CompletedRead>& answers() const { return answers_; }
  [[nodiscard]] const std::vector<std::byte>& memory() const { return memory_; }

  void run(std::uint32_t commands) {
    for (std::uint32_t i = 0; i < commands; ++i) {
      if (i % 50 == 0) {
        settle();  // a collective that is lost to a full queue would leave its tree unusable
        collective();
      }
      command(random(static_cast<std::uint32_t>(slots_.size())));
      if (random(2) == 0) advance(random(400));
    }
    settle();
  }

 private:
  static constexpr std::uint32_t kMemory = 8192;
  static constexpr std::uint32_t kQueue = 4096;  ///< the receive ring: 8 messages of 256 bytes
  static constexpr std::uint32_t kRegions = 6144;
  static constexpr std::uint32_t kRegionBytes = 1024;
  static constexpr std::uint32_t kRootParent = 15;

  std::uint32_t random(std::uint32_t bound) { return static_cast<std::uint32_t>(generator_() >> 4) % bound; }

  void join(std::uint32_t parent, std::uint32_t link, std::uint32_t child, std::uint32_t child_link, bool direct) {
    tree_[parent].children |= 1U << link;
    tree_[child].parent = child_link;
    tree_[child].reached = true;
    slots_[parent].tree_link(Cycle{0}, link, slots_[child].endpoint(), child_link, direct);
    slots_[child].tree_link(Cycle{0}, child_link, slots_[parent].endpoint(), link, direct);
  }

  void grow_binary() {
    for (std::uint32_t child = 1; child < tree_.size(); ++child) {
      join((child - 1) / 2, (child - 1) % 2, child, 2, false);
    }
  }

  /// Nearest first.
  void grow_over_links() {
    std::deque<std::uint32_t> border{0};
    for (; !border.empty(); border.pop_front()) {
      for (std::uint8_t port = 0; port < machine_.topology().ports(); ++port) {
        const auto link = machine_.topology().neighbour(NodeIndex{border.front()}, PortId{port});
        if (!link || tree_[link->node.value].reached) continue;
        join(border.front(), port, link->node.value, link->port.value, true);
        border.push_back(link->node.value);
      }
    }
  }

  /// Groups of barriers: one of all routers, and one of the even columns, of which routers between them know nothing.
  void join_barriers() {
    const auto& size = machine_.config().topology.size;
    if (size.empty()) return join_hub();
    for (std::uint32_t node = 0; node < machine_.topology().nodes(); ++node) {
      const std::uint32_t column = node % size[0];
      const std::uint32_t row = node / size[0];
      const std::uint32_t rows = size.size() > 1 ? size[1] : 1;
      const std::uint32_t rest = (row + 1 < rows ? 4U : 0U) | (row > 0 ? 8U : 0U);
      const auto join = [&](std::uint32_t group, std::uint32_t mates) {
        machine_.bus_write(endpoint_of(node), Cycle{0}, registers::BarrierGroup::at(group),
                           registers::BarrierGroup{.member = true, .mates = mates | rest}.encode());
      };
      join(0, (column + 1 < size[0] ? 1U : 0U) | (column > 0 ? 2U : 0U));
      if (column % 2 == 0) join(1, (column + 2 < size[0] ? 1U : 0U) | (column > 0 ? 2U : 0U));
      machine_.bus_write(endpoint_of(node), Cycle{0}, registers::BarrierEnable::kAddress, random(4));
    }
  }
  /// Groups of barriers at a single router: one of all slots, and one of each two.
  void join_hub() {
    const auto slots = static_cast<std::uint32_t>(slots_.size());
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      const Endpoint endpoint = slots_[slot].endpoint();
      const std::uint64_t own = std::uint64_t{1} << slot;
      const std::uint64_t all = (std::uint64_t{2} << (slots - 1)) - 1;
      const std::array<std::uint64_t, 2> mates{all & ~own, std::uint64_t{1} << (slot ^ 1U)};
      for (std::uint32_t group = 0; group < mates.size(); ++group) {
        slots_[slot].join_barrier(Cycle{0}, group, mates[group]);
      }
      machine_.bus_write(endpoint, Cycle{0}, registers::BarrierEnable::kAddress, random(4));
    }
  }
  [[nodiscard]] Endpoint endpoint_of(std::uint32_t node) const {
    return machine_.topology().endpoint(node * machine_.topology().slots());
  }
  void arrive(std::uint32_t rank, Cycle at) {
    const Endpoint endpoint = slots_[rank].endpoint();
    if (endpoint.slot.value != 0 && !machine_.config().topology.size.empty()) return;
    const registers::BarrierArrive arrive{.groups = random(4), .quiet = random(2) != 0};
    machine_.bus_write(endpoint, at, registers::BarrierArrive::kAddress, arrive.encode());
    reads_[rank].push_back(registers::BarrierStatus::kAddress);
    machine_.bus_read(endpoint, at, reads_[rank].back());
  }

  void command(std::size_t slot) {
    SlotCommands& commands = slots_[slot];
    const Cycle at = machine_.now() + random(100);
    const Endpoint other = slots_[random(static_cast<std::uint32_t>(slots_.size()))].endpoint();
    const std::uint32_t local = random(500) * 4;
    const std::array<std::uint16_t, 6> readable{registers::Id::kAddress,           registers::IrqStatus::kAddress,
                                                registers::RmaQueueTail::kAddress, registers::RmaCompleted::kAddress,
                                                registers::RmaError::kAddress,     registers::MpeCompleted::kAddress};
    switch (random(10)) {
      case 0:
      case 1:
        commands.message(at, other, local, 1 + random(248));
        break;
      case 2:
      case 3:
        commands.put(at, other, local, random(3), random(200) * 4, 1 + random(600));
        break;
      case 4:
        if (machine_.config().node.rma_atomics != 0 && random(2) == 0) {
          const tidings_pkg::AtomicLength access{.operation = static_cast<tidings_pkg::Atomic>(random(12)),
                                                 .bytes = static_cast<std::uint8_t>(random(2) == 0 ? 4 : 8)};
          // Few places, so that some meet.
          commands.atomic(at, other, local, random(3), random(4) * 4, access);
          break;
        }
        commands.get(at, other, local, random(3), random(200) * 4, 1 + random(600));
        break;
      case 5:
        commands.route(at, random(20), random(1U << (machine_.topology().ports() + machine_.topology().slots())));
        break;
      case 6:
        commands.static_message(at, random(17), local, 1 + random(248));
        break;
      case 7:
        if (machine_.config().node.barrier_slots != 0) {
          // Of some group, or a few; where the slot has arrived or is no member, that is refused.
          for (std::uint32_t rank = 0; rank < slots_.size(); ++rank) arrive(rank, at + random(60));
        }
        commands.clear_interrupts(at, random(64));
        break;
      default:
        reads_[slot].push_back(readable[random(readable.size())]);
        commands.read(at, reads_[slot].back());
        break;
    }
  }

  /// Empties the receive queues that have been looked at.
  void serve(const RunResult& result) {
    for (const CompletedRead& read : result.reads) {
      const std::size_t slot = machine_.topology().number(read.endpoint);
      if (read.cycle != machine_.now()) throw std::runtime_error("a read has been told of in another cycle");
      answers_.push_back(read);
      if (reads_[slot].front() == registers::RmaQueueTail::kAddress)
        slots_[slot].set_queue_head(machine_.now(), read.data);
      reads_[slot].pop_front();
    }
  }

  /// The same collective on all slots, each at a time of its own.
  void collective() {
    const auto operation = static_cast<tidings_pkg::Collective>(random(4));
    const auto element = static_cast<tidings_pkg::Element>(random(4));
    const std::uint32_t count = 1 + random(200);
    for (std::uint32_t rank = 0; rank < slots_.size(); ++rank) {
      slots_[rank].collective(machine_.now() + random(300), operation, element, tree_[rank].parent,
                              tree_[rank].children, 0, 2048, count);
    }
  }

  /// Runs for `cycles`, or until nothing is left to happen. @return whether that is so.
  bool advance(std::uint64_t cycles) {
    const Cycle end = machine_.now() + cycles;
    while (machine_.now() < end) {
      const RunResult result = machine_.run_until(end);
      serve(result);
      if (result.quiescent) return true;
    }
    return false;
  }

  /// Lets everything end that is under way.
  void settle() {
    constexpr std::uint64_t kPatience = 100'000;
    if (!advance(kPatience)) throw std::runtime_error("the machine does not come to rest");
  }

  /// A slot's place in the tree of collectives.
  struct Place {
    std::uint32_t parent = kRootParent;  ///< link
    std::uint32_t children = 0;          ///< links, one bit each
    bool reached = false;
  };

  Machine& machine_;
  std::minstd_rand generator_;
  std::vector<Place> tree_;
  std::vector<std::byte> memory_;
  std::vector<SlotCommands> slots_;
  std::vector<CompletedRead> answers_;
  std::vector<std::deque<std::uint16_t>> reads_;  ///< a slot: registers that have been asked for
};

}  // namespace tidings::test
