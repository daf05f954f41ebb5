// Copyright Tidings contributors. SPDX-License-Identifier: Apache-2.0
//
// How long collectives take on spirit, in cycles from the command to the last engine that is done.
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/benchmark/slot_commands.h"
#include "sim/cycle/machine_fabric.h"
#include "sim/machine/machine.h"

namespace tidings {
namespace {

constexpr std::uint32_t kDimensions = 6, kNodes = 1U << kDimensions;
constexpr std::uint32_t kMemory = 1U << 17, kSource = 0, kDestination = 1U << 16;
constexpr std::uint64_t kLatency = 80, kAdder = 4;
constexpr std::uint32_t kRoot = 15;

/// The machine of machines/spirit.toml.
MachineConfig spirit() {
  MachineConfig config;
  config.topology = {TopologyKind::kTorus, {4, 4, 4}, 1};
  config.link.latency_cycles = kLatency;
  config.node.buffer_flits = 256;
  config.node.mpe_combine_ports = kDimensions;
  config.memory.latency_cycles = 20;
  return config;
}

/// A hypercube on the torus: two bits of a vertex are a coordinate in Gray code, so that neighbours are one hop apart.
class Hypercube {
 public:
  explicit Hypercube(const MachineConfig& config = spirit())
      : machine_(config, kNodes, cycle::machine_fabric_factory()), memory_(std::size_t{kNodes} * kMemory) {
    for (std::uint32_t v = 0; v < kNodes; ++v) {
      const Endpoint endpoint = machine_.topology().endpoint(place(v));
      machine_.attach_memory(endpoint, std::span(memory_).subspan(std::size_t{v} * kMemory, kMemory));
      slots_.emplace_back(machine_, endpoint);
    }
    for (std::uint32_t v = 0; v < kNodes; ++v) {
      for (std::uint32_t d = 0; d < kDimensions; ++d) {
        const std::uint32_t port = port_of(v, d);
        slots_[v].tree_link(Cycle{0}, port, slots_[v ^ 1U << d].endpoint(), port ^ 1U, true);
      }
    }
  }

  /// The same collective at all nodes at once, `times` one after the other; links are those of the tree with root 0 in
  /// which a node's children are below its lowest bit. @return cycles from the first command to the last completion.
  std::uint64_t tree(tidings_pkg::Collective operation, tidings_pkg::Element element, std::uint32_t count,
                     std::uint32_t times = 1) {
    return run(times, [&](SlotCommands& slot, std::uint32_t v, Cycle at) {
      const std::uint32_t parent = v == 0 ? kRoot : port_of(v, static_cast<std::uint32_t>(std::countr_zero(v)));
      const std::uint32_t below = v == 0 ? kNodes - 1 : (v & (0 - v)) - 1;
      slot.collective(at, operation, element, parent, ports_of(v, below), kSource, kDestination, count);
    });
  }
  std::uint64_t exchange(tidings_pkg::Collective operation, tidings_pkg::Element element, std::uint32_t count) {
    return run(1, [&](SlotCommands& slot, std::uint32_t v, Cycle at) {
      std::uint32_t swap = 0;
      for (std::uint32_t pair = 0; pair < kDimensions / 2; ++pair) swap |= (coordinate(v, pair) & 1U) << pair;
      slot.exchange(at, operation, element, ports_of(v, kNodes - 1), kSource, kDestination, count, swap);
    });
  }

  /// Elements in a node's memory.
  template <typename T>
  [[nodiscard]] std::span<T> elements(std::uint32_t vertex, std::uint32_t address, std::uint32_t count) {
    return {reinterpret_cast<T*>(&memory_[std::size_t{vertex} * kMemory + address]), count};
  }
  void fill_doubles(std::uint32_t count) {
    for (std::uint32_t v = 0; v < kNodes; ++v) {
      for (std::uint32_t i = 0; i < count; ++i) elements<double>(v, kSource, count)[i] = v + 100.0 * i;
    }
  }
  void expect_sums(std::uint32_t vertex, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_EQ(elements<double>(vertex, kDestination, count)[i], kNodes * (kNodes - 1) / 2 + kNodes * 100.0 * i);
    }
  }

 private:
  static std::uint32_t coordinate(std::uint32_t vertex, std::uint32_t dimension) {
    const std::uint32_t gray = vertex >> 2 * dimension & 3U;
    return gray ^ gray >> 1;
  }
  static std::uint32_t place(std::uint32_t vertex) {
    std::uint32_t index = 0;
    for (std::uint32_t d = 0; d < kDimensions / 2; ++d) index |= coordinate(vertex, d) << 2 * d;
    return index;
  }
  /// The network port that leads to the vertex that differs in one bit.
  static std::uint32_t port_of(std::uint32_t vertex, std::uint32_t bit) {
    return 2 * (bit / 2) + ((coordinate(vertex, bit / 2) ^ bit) & 1U);
  }
  static std::uint32_t ports_of(std::uint32_t vertex, std::uint32_t bits) {
    std::uint32_t ports = 0;
    for (; bits != 0; bits &= bits - 1) {
      ports |= 1U << port_of(vertex, static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
    return ports;
  }

  template <typename Issue>
  std::uint64_t run(std::uint32_t times, Issue&& issue) {
    constexpr std::uint64_t kBegin = 1000, kWrites = 5, kQueue = 2, kGap = 16;
    std::vector<std::uint32_t> issued(kNodes, 0);
    std::uint64_t end = 0;
    for (std::uint32_t v = 0; v < kNodes; ++v) {
      for (; issued[v] < times && issued[v] < kQueue; ++issued[v]) {
        issue(slots_[v], v, Cycle{kBegin - kWrites + kGap * issued[v]});
      }
    }
    std::vector<std::uint32_t> done(kNodes, 0);
    for (std::uint64_t now = kBegin + kGap * kQueue; end == 0;) {
      for (std::uint32_t v = 0; v < kNodes; ++v) slots_[v].read(Cycle{now}, registers::MpeCompleted::kAddress);
      const RunResult result = machine_.run_until(Cycle{now += kPoll});
      for (const CompletedRead& read : result.reads) {
        for (std::uint32_t v = 0; v < kNodes; ++v) {
          if (slots_[v].endpoint() == read.endpoint) done[v] = read.data;
        }
      }
      bool all = true;
      for (std::uint32_t v = 0; v < kNodes; ++v) {
        all = all && done[v] == times;
        if (issued[v] < times && issued[v] < done[v] + kQueue) {
          issue(slots_[v], v, Cycle{now});
          ++issued[v];
        }
      }
      if (all) end = now;
      if (now > kLongest) throw std::runtime_error("a collective never comes to an end");
    }
    return end - kBegin;
  }

  static constexpr std::uint64_t kPoll = 8, kLongest = 1'000'000;

  Machine machine_;
  std::vector<std::byte> memory_;
  std::vector<SlotCommands> slots_;
};

void expect_within(const std::string& what, std::uint64_t cycles, std::uint64_t bound, std::uint64_t percent) {
  std::cout << what << ": " << cycles << " cycles, bound " << bound << ", ratio "
            << static_cast<double>(cycles) / static_cast<double>(bound) << "\n";
  EXPECT_GE(cycles, bound) << what;
  EXPECT_LE(cycles * 100, bound * percent) << what;
}

TEST(Collectives, BarrierByExchangeIsWithinItsBound) {
  Hypercube cube;
  expect_within("barrier", cube.exchange(tidings_pkg::Collective::kBarrier, tidings_pkg::Element::kInt32, 0),
                6 * kLatency, 115);
}

TEST(Collectives, BroadcastIsWithinItsBound) {
  constexpr std::uint32_t kWords = 4096;
  Hypercube cube;
  for (std::uint32_t i = 0; i < kWords; ++i) cube.elements<std::uint32_t>(0, kSource, kWords)[i] = 3 * i + 1;
  expect_within("broadcast of 4096 words",
                cube.tree(tidings_pkg::Collective::kBroadcast, tidings_pkg::Element::kInt32, kWords),
                6 * kLatency + kWords - 1, 110);
  for (std::uint32_t v = 1; v < kNodes; ++v) {
    for (std::uint32_t i = 0; i < kWords; ++i) {
      ASSERT_EQ(cube.elements<std::uint32_t>(v, kDestination, kWords)[i], 3 * i + 1) << "vertex " << v;
    }
  }
}

TEST(Collectives, ReduceIsWithinItsBound) {
  constexpr std::uint32_t kCount = 2048, kWords = 2 * kCount;
  Hypercube cube;
  cube.fill_doubles(kCount);
  expect_within("reduce of 2048 doubles",
                cube.tree(tidings_pkg::Collective::kReduce, tidings_pkg::Element::kDouble, kCount),
                6 * (kLatency + kAdder) + kWords - 1, 115);
  cube.expect_sums(0, kCount);
}

TEST(Collectives, AllreduceIsWithinItsBound) {
  constexpr std::uint32_t kCount = 2048, kWords = 2 * kCount;
  Hypercube cube;
  cube.fill_doubles(kCount);
  expect_within("allreduce of 2048 doubles",
                cube.tree(tidings_pkg::Collective::kAllreduce, tidings_pkg::Element::kDouble, kCount),
                6 * (2 * kLatency + kAdder) + kWords - 1, 115);
  for (std::uint32_t v = 0; v < kNodes; ++v) cube.expect_sums(v, kCount);
}

TEST(Collectives, ShortAllreduceByExchangeIsWithinItsBound) {
  constexpr std::uint32_t kCount = 32, kWords = 2 * kCount;
  Hypercube cube;
  cube.fill_doubles(kCount);
  const std::uint64_t cycles =
      cube.exchange(tidings_pkg::Collective::kAllreduce, tidings_pkg::Element::kDouble, kCount);
  std::cout << "allreduce of 32 doubles by exchange: " << cycles << " cycles\n";
  EXPECT_LE(cycles * 100, (6 * (2 * kLatency + kAdder) + kWords - 1) * 115);
  for (std::uint32_t v = 0; v < kNodes; ++v) cube.expect_sums(v, kCount);
}

TEST(Collectives, StreamsOfVectorsFillTheLinks) {
  constexpr std::uint32_t kWords = 4096, kTimes = 8, kPayload = 64;
  // Words a cycle that a link carries when each packet of 64 has one header.
  constexpr double kRate = static_cast<double>(kPayload) / (kPayload + 1);
  for (const tidings_pkg::Collective operation :
       {tidings_pkg::Collective::kBroadcast, tidings_pkg::Collective::kReduce}) {
    Hypercube one;
    Hypercube many;
    const std::uint64_t first = one.tree(operation, tidings_pkg::Element::kInt32, kWords);
    const std::uint64_t all = many.tree(operation, tidings_pkg::Element::kInt32, kWords, kTimes);
    const double rate = (kTimes - 1.0) * kWords / static_cast<double>(all - first);
    std::cout << (operation == tidings_pkg::Collective::kReduce ? "reduce" : "broadcast") << ": " << rate
              << " words per cycle, " << rate / kRate << " of what links carry\n";
    EXPECT_GE(rate, 0.95 * kRate);
    EXPECT_LE(rate, kRate);
  }
}

}  // namespace
}  // namespace tidings
