// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// Multicast over a whole machine: trees of static routes on the torus of `spirit`.
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "sim/benchmark/slot_commands.h"
#include "sim/cycle/machine_fabric.h"
#include "sim/cycle/voq_port.h"
#include "sim/machine/machine.h"
#include "sim/traffic/random.h"

namespace tidings {
namespace {

constexpr std::uint32_t kRadix = 4, kDims = 3, kNodes = 64, kLatency = 80;
constexpr std::uint32_t kMemory = 1U << 15, kQueue = 1U << 14, kQueueSlots = 6, kMessageBytes = 248;
constexpr std::uint32_t kSlotBytes = 256, kHeaderBytes = 8, kRegionBytes = 4;
constexpr std::uint32_t kSlotPort = 2 * kDims;

std::uint32_t coordinate(std::uint32_t node, std::uint32_t d) { return node / (d == 0 ? 1 : d == 1 ? 4 : 16) % kRadix; }

/// Output ports of a node in the tree that dimension order makes from a root to all other nodes.
std::uint32_t tree_ports(std::uint32_t root, std::uint32_t node) {
  constexpr std::uint32_t kPlus = 1, kMinus = 2;
  std::uint32_t ports = node == root ? 0 : 1U << kSlotPort;
  for (std::uint32_t d = kDims; d-- > 0;) {
    const std::uint32_t distance = (coordinate(node, d) + kRadix - coordinate(root, d)) % kRadix;
    // From the start both ways; half way round on the + side, one step less on the other.
    if (distance == 0) ports |= (kPlus | kMinus) << 2 * d;
    if (distance == 1) ports |= kPlus << 2 * d;
    if (distance != 0) break;
  }
  return ports;
}

class Multicast : public testing::Test {
 protected:
  Multicast() : machine_(config(), kNodes, cycle::machine_fabric_factory()), memory_(std::size_t{kNodes} * kMemory) {
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      machine_.attach_memory(machine_.topology().endpoint(node), std::span(memory_).subspan(node * kMemory, kMemory));
      slots_.emplace_back(machine_, machine_.topology().endpoint(node));
      slots_.back().set_queue(Cycle{0}, kQueue, kQueueSlots);
    }
  }

  static MachineConfig config() {
    MachineConfig config;
    config.topology = {TopologyKind::kTorus, {kRadix, kRadix, kRadix}, 1};
    config.node.buffer_flits = 256;
    config.link.latency_cycles = kLatency;
    config.memory.latency_cycles = 20;
    return config;
  }

  void settle() { ASSERT_TRUE(machine_.run_until(machine_.now() + 1'000'000).quiescent); }
  std::uint32_t read(std::uint32_t node, std::uint16_t address) {
    slots_[node].read(machine_.now(), address);
    return machine_.run_until(Cycle::max()).reads.at(0).data;
  }
  std::byte* memory(std::uint32_t node, std::uint32_t address) {
    return &memory_[std::size_t{node} * kMemory + address];
  }

  Machine machine_;
  std::vector<std::byte> memory_;
  std::vector<SlotCommands> slots_;
};

TEST_F(Multicast, ReachesAllOtherNodesOverATreeThatOneNodeLoadsOverTheNetwork) {
  constexpr std::uint32_t kRoute = 5;
  slots_[0].route(machine_.now(), kRoute, tree_ports(0, 0));
  for (std::uint32_t node = 1; node < kNodes; ++node) {
    slots_[node].register_routes(machine_.now(), 0, kRegionBytes);
    const std::uint32_t word = registers::Route{.ports = tree_ports(0, node), .index = kRoute}.encode();
    std::memcpy(memory(0, 4 * node), &word, sizeof word);
  }
  settle();
  for (std::uint32_t node = 1; node < kNodes; ++node) {
    slots_[0].put(machine_.now(), slots_[node].endpoint(), 4 * node, 0, 0, 4);
    settle();
  }
  EXPECT_EQ(read(0, registers::RmaError::kAddress), 0U);

  std::memset(memory(0, 1024), 0x5a, kMessageBytes);
  const Cycle begin = machine_.now();
  slots_[0].static_message(begin, kRoute, 1024, kMessageBytes);
  settle();
  // Six hops, each with a lookup, the packet's 64 words, the last credits, and what the slots take before and after.
  EXPECT_LT(machine_.now() - begin, 6 * (kLatency + 1) + 64 + kLatency + 60);
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    ASSERT_EQ(read(node, registers::RmaQueueTail::kAddress), node == 0 ? 0U : 1U) << "node " << node;
    if (node == 0) continue;
    EXPECT_EQ(std::memcmp(memory(node, kQueue + kHeaderBytes), memory(0, 1024), kMessageBytes), 0) << "node " << node;
  }
  EXPECT_EQ(read(0, registers::RmaError::kAddress), 0U);
}

TEST_F(Multicast, OfSixteenTreesAtOnceLosesNothing) {
  constexpr std::uint32_t kTrees = 16, kMessages = 3;
  for (std::uint32_t tree = 0; tree < kTrees; ++tree) {
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      slots_[node].route(machine_.now(), tree, tree_ports(4 * tree + tree % 4, node));
    }
  }
  settle();
  for (std::uint32_t message = 0; message < kMessages; ++message) {
    for (std::uint32_t tree = 0; tree < kTrees; ++tree) {
      const std::uint32_t root = 4 * tree + tree % 4;
      *memory(root, 0) = static_cast<std::byte>(tree);
      slots_[root].static_message(machine_.now(), tree, 0, kMessageBytes);
    }
  }
  settle();
  for (std::uint32_t node = 0; node < kNodes; ++node) {
    std::vector<std::uint32_t> received(kTrees);
    const std::uint32_t messages = read(node, registers::RmaQueueTail::kAddress);
    for (std::uint32_t i = 0; i < messages; ++i) {
      ++received[static_cast<std::size_t>(*memory(node, kQueue + i * kSlotBytes + kHeaderBytes))];
    }
    for (std::uint32_t tree = 0; tree < kTrees; ++tree) {
      EXPECT_EQ(received[tree], node == 4 * tree + tree % 4 ? 0U : kMessages) << "tree " << tree << " at " << node;
    }
  }
}

TEST(RouteWrites, OfSeveralSlotsWaitForOneAnotherOnlyWhereThereIsATable) {
  constexpr std::uint32_t kSlots = 3;
  for (const std::uint32_t routes : {0U, 16U}) {
    MachineConfig config;
    config.topology = {TopologyKind::kCrossbar, {}, kSlots};
    config.node.num_routes = routes;
    Machine machine(config, kSlots, cycle::machine_fabric_factory());
    std::vector<std::byte> memory(std::size_t{kSlots} * kMemory);
    std::vector<SlotCommands> slots;
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      machine.attach_memory(machine.topology().endpoint(slot), std::span(memory).subspan(slot * kMemory, kMemory));
      slots.emplace_back(machine, machine.topology().endpoint(slot));
      slots.back().route(Cycle{10}, 1, 1);
    }
    // Too early for a slot whose turn comes after this one's.
    for (SlotCommands& slot : slots) slot.route(Cycle{11}, 1, 1);
    ASSERT_TRUE(machine.run_until(Cycle{1000}).quiescent);
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      slots[slot].read(machine.now(), registers::IrqStatus::kAddress);
      const bool error = registers::IrqStatus::decode(machine.run_until(Cycle::max()).reads.at(0).data).route_error;
      EXPECT_EQ(error, routes != 0 && slot != 0) << routes << " routes, slot " << slot;
    }
  }
}

TEST(QueueTurns, AreThoseOfAnArbiterInWhichTheLineComesLast) {
  for (const unsigned queues : {1U, 3U, 63U}) {
    const std::uint64_t mask = (std::uint64_t{1} << queues) - 1;
    traffic::Random random(queues, 0);
    cycle::QueueTurns turns(queues);
    cycle::WideArbiter arbiter;
    for (int step = 0; step < 2000; ++step) {
      const cycle::QueueTurns::Requests asking{.queues = random.next() & random.next() & mask,
                                               .line = random.below(2) != 0};
      const std::uint64_t winner = arbiter.grant(asking.queues | std::uint64_t{asking.line} << queues);
      if (winner == 0) continue;
      ASSERT_EQ(turns.grant(asking), static_cast<unsigned>(std::countr_zero(winner)))
          << queues << " queues, step " << step;
      arbiter.accept(winner);
      turns.accept(turns.grant(asking));
    }
  }
}

TEST(QueueTurns, Of64QueuesAndTheLineTellAllOfThemApart) {
  cycle::QueueTurns turns(64);
  const cycle::QueueTurns::Requests all{.queues = ~std::uint64_t{0}, .line = true};
  for (unsigned turn = 0; turn < 130; ++turn) {
    ASSERT_EQ(turns.grant(all), turn % 65);
    turns.accept(turn % 65);
  }
}

}  // namespace
}  // namespace tidings
