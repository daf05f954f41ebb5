// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// How long collectives take on spirit, in cycles from the command to the last engine that is done.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <stdexcept>
#include <vector>

#include "sim/benchmark/slot_commands.h"
#include "sim/cycle/machine_fabric.h"
#include "sim/machine/machine.h"

namespace tidings {
namespace {

constexpr std::uint32_t kDimensions = 6, kNodes = 1U << kDimensions;
constexpr std::uint32_t kMemory = 1U << 16, kSource = 0, kDestination = 1U << 15;
constexpr std::uint32_t kLatency = 80;
constexpr std::uint32_t kMpeDone = 4;

/// The machine of machines/spirit.toml.
MachineConfig spirit() {
  MachineConfig config;
  config.topology = {TopologyKind::kTorus, {4, 4, 4}, 1};
  config.link.latency_cycles = kLatency;
  config.router = {256, 16, Arbiter::kRoundRobin};
  config.memory.latency_cycles = 20;
  return config;
}

/// A hypercube on the torus: link d of node v leads to v ^ 1 << d, one hop away.
class Hypercube {
 public:
  Hypercube() : machine_(spirit(), kNodes, cycle::machine_fabric_factory()), memory_(std::size_t{kNodes} * kMemory) {
    for (std::uint32_t v = 0; v < kNodes; ++v) {
      const Endpoint endpoint = machine_.topology().endpoint(place(v));
      machine_.attach_memory(endpoint, std::span(memory_).subspan(std::size_t{v} * kMemory, kMemory));
      slots_.emplace_back(machine_, endpoint);
    }
    for (std::uint32_t v = 0; v < kNodes; ++v) {
      slots_[v].enable_interrupts(Cycle{0}, kMpeDone);
      for (std::uint32_t d = 0; d < kDimensions; ++d) {
        slots_[v].tree_link(Cycle{0}, d, slots_[v ^ 1U << d].endpoint(), d);
      }
    }
  }

  /// All nodes at once. @return cycles from the write of the command to the last interrupt.
  template <typename Issue>
  std::uint64_t run(Issue&& issue) {
    constexpr std::uint64_t kBegin = 1000, kWrites = 5;
    for (std::uint32_t v = 0; v < kNodes; ++v) issue(slots_[v], v, Cycle{kBegin - kWrites});
    for (const SlotCommands& slot : slots_) {
      const InterruptWatch watch{slot.endpoint(), Cycle{0}};
      while (!machine_.interrupt(slot.endpoint())) {
        const RunResult result = machine_.run_until(Cycle{100'000}, std::span(&watch, 1));
        if (result.quiescent) throw std::runtime_error("a collective never comes to an end");
      }
    }
    return machine_.now().value - kBegin;
  }

  /// Numbers in a node's memory.
  [[nodiscard]] std::span<double> doubles(std::uint32_t vertex, std::uint32_t address, std::uint32_t count) {
    return {reinterpret_cast<double*>(&memory_[std::size_t{vertex} * kMemory + address]), count};
  }

 private:
  /// Two bits of the vertex are a coordinate in Gray code.
  static std::uint32_t place(std::uint32_t vertex) {
    std::uint32_t index = 0;
    for (std::uint32_t bit = 0; bit < kDimensions; bit += 2) {
      const std::uint32_t gray = vertex >> bit & 3U;
      index |= (gray ^ gray >> 1) << bit;
    }
    return index;
  }

  Machine machine_;
  std::vector<std::byte> memory_;
  std::vector<SlotCommands> slots_;
};

TEST(Collectives, BarrierByExchangeIsWithinTheBound) {
  Hypercube cube;
  const std::uint64_t cycles = cube.run([](SlotCommands& slot, std::uint32_t /*vertex*/, Cycle at) {
    slot.exchange(at, CollectiveOperation::kBarrier, ElementType::kInt32, kNodes - 1, 0, 0, 0);
  });
  std::cout << "barrier of 64 nodes: " << cycles << " cycles, " << kDimensions * kLatency << " of them on links\n";
  EXPECT_GT(cycles, kDimensions * kLatency);
  EXPECT_LE(cycles, kDimensions * kLatency * 115 / 100);
}

TEST(Collectives, ShortSumByExchangeIsWithinTheBound) {
  constexpr std::uint32_t kCount = 32, kWords = 2 * kCount, kAdder = 4;
  constexpr std::uint64_t kBound = kDimensions * (2 * kLatency + kAdder) + kWords - 1;
  Hypercube cube;
  for (std::uint32_t v = 0; v < kNodes; ++v) {
    for (std::uint32_t i = 0; i < kCount; ++i) cube.doubles(v, kSource, kCount)[i] = v + 100.0 * i;
  }
  const std::uint64_t cycles = cube.run([](SlotCommands& slot, std::uint32_t /*vertex*/, Cycle at) {
    slot.exchange(at, CollectiveOperation::kAllreduce, ElementType::kDouble, kNodes - 1, kSource, kDestination, kCount);
  });
  std::cout << "allreduce of " << kCount << " doubles on 64 nodes: " << cycles << " cycles, bound " << kBound << "\n";
  EXPECT_LE(cycles, kBound * 115 / 100);
  for (std::uint32_t v = 0; v < kNodes; ++v) {
    for (std::uint32_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(cube.doubles(v, kDestination, kCount)[i], kNodes * (kNodes - 1) / 2 + kNodes * 100.0 * i);
    }
  }
}

}  // namespace
}  // namespace tidings
